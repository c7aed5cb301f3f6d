#!/usr/bin/env python3
"""Simulates a corpus parsed by thousands of workers with stragglers and failures, for tasks of different lengths.

    bench/simulate_cluster.py [--words 1e12] [--workers 10000] [--speed 60000] [--seed 1]

Workers take tasks one after the other. A worker's speed varies by a few percent, and a share of them is several times
slower. Machines fail at random, with all their workers: what these were doing is lost and goes back to the queue, and
the machine is there again after a while. The scheduler hands out so many tasks a second. With speculation an idle worker
repeats the task that has run longest, once it has run half as long again as the median; the first of two copies counts.
Printed is a table: how long it takes, the share of all core time that is parsing which counts, and what becomes of the
rest. The figures are computed and depend on the options alone.
"""

import argparse
import heapq
import random
import statistics


class Cluster:
    """Machines with their workers, and everything that is random about them."""

    def __init__(self, options, seed):
        self.random = random.Random(seed)
        self.options = options
        self.slowdown = []
        for _ in range(options.workers):
            if self.random.random() < options.stragglers:
                self.slowdown.append(min(1.5 * self.random.paretovariate(1.5), 20.0))
            else:
                self.slowdown.append(max(self.random.gauss(1.0, 0.05), 0.8))

    def next_failure(self):
        """How long a machine lives, in seconds."""
        return self.random.expovariate(1.0 / (3600.0 * self.options.hours_between_failures))


class Run:
    """One job: tasks of the same amount of work but for its variation, and what happens to them."""

    def __init__(self, options, task_seconds, speculate, seed=None):
        self.options, self.speculate = options, speculate
        self.cluster = Cluster(options, options.seed if seed is None else seed)
        work = options.words / options.speed
        count = max(1, round(work / task_seconds))
        draw = self.cluster.random
        self.work = [work / count * draw.lognormvariate(-0.02, 0.2) for _ in range(count)]
        self.queue = list(range(count))
        self.copies = {}  # of a task that runs: worker -> start
        self.done = bytearray(count)
        self.left, self.lost, self.doubled, self.failures = count, 0.0, 0.0, 0
        self.generation = [0] * options.workers
        self.running = [None] * options.workers
        self.idle, self.oldest, self.events = [], [], []
        self.clock, self.handed_out = 0.0, 0.0
        self.typical = statistics.median(self.work) + options.overhead

    def makespan(self):
        """Runs the job to its end, and returns how long it took."""
        per_machine = self.options.cores
        for worker in range(self.options.workers):
            self.events.append((0.0, 0, worker, 0))
        for machine in range(self.options.workers // per_machine):
            self.events.append((self.cluster.next_failure(), 1, machine, 0))
        heapq.heapify(self.events)
        while self.left:
            self.clock, kind, number, generation = heapq.heappop(self.events)
            if kind == 1:
                self.fail(number)
            elif self.generation[number] == generation:
                self.ready(number)
        return self.clock

    def ready(self, worker):
        """A worker has finished its task, if it had one, and takes the next."""
        task = self.running[worker]
        if task is not None:
            self.running[worker] = None
            self.finish(worker, task)
        task = self.next_task()
        if task is None:
            self.idle.append(worker)
        else:
            self.start(worker, task)

    def next_task(self):
        if self.queue:
            return self.queue.pop()
        while self.speculate and self.oldest:
            start, task = self.oldest[0]
            if self.done[task] or len(self.copies.get(task, ())) != 1:
                heapq.heappop(self.oldest)
            elif self.clock < start + 1.5 * self.typical:
                if self.idle_wake <= self.clock:
                    self.idle_wake = start + 1.5 * self.typical
                    heapq.heappush(self.events, (self.idle_wake, 0, -1, None))
                return None
            else:
                heapq.heappop(self.oldest)
                return task
        return None

    idle_wake = -1.0

    def start(self, worker, task):
        self.handed_out = max(self.handed_out, self.clock) + 1.0 / self.options.tasks_a_second
        begin = self.handed_out
        self.running[worker] = task
        self.generation[worker] += 1
        self.copies.setdefault(task, {})[worker] = begin
        heapq.heappush(self.oldest, (begin, task))
        length = self.options.overhead + self.work[task] * self.cluster.slowdown[worker]
        heapq.heappush(self.events, (begin + length, 0, worker, self.generation[worker]))

    def finish(self, worker, task):
        others = self.copies.pop(task)
        others.pop(worker)
        self.done[task] = 1
        self.left -= 1
        for other, start in others.items():  # cancelled: this copy was faster
            self.doubled += self.clock - start
            self.running[other] = None
            self.generation[other] += 1
            heapq.heappush(self.events, (self.clock, 0, other, self.generation[other]))

    def fail(self, machine):
        """All that the workers of a machine were doing is lost."""
        cores = self.options.cores
        self.failures += 1
        back = self.clock + self.options.restart
        for worker in range(machine * cores, (machine + 1) * cores):
            task = self.running[worker]
            if task is not None:
                self.running[worker] = None
                copies = self.copies[task]
                self.lost += max(0.0, self.clock - copies.pop(worker))
                if not copies:
                    del self.copies[task]
                    self.queue.append(task)
            elif worker in self.idle:
                self.idle.remove(worker)
            self.generation[worker] += 1
            heapq.heappush(self.events, (back, 0, worker, self.generation[worker]))
        heapq.heappush(self.events, (back + self.cluster.next_failure(), 1, machine, 0))
        self.wake()

    def wake(self):
        while self.queue and self.idle:
            self.start(self.idle.pop(), self.queue.pop())


class SpeculativeRun(Run):
    """The same, where idle workers look again when a task has run for long."""

    def ready(self, worker):
        if worker >= 0:
            return super().ready(worker)
        self.idle_wake = -1.0
        while self.idle:
            task = self.next_task()
            if task is None:
                return None
            self.start(self.idle.pop(), task)
        return None

    def makespan(self):
        self.generation.append(None)  # of the event that only wakes idle workers
        return super().makespan()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--words", type=float, default=1e12)
    parser.add_argument("--workers", type=int, default=10_000)
    parser.add_argument("--cores", type=int, default=16, help="workers of a machine, which fail together [16]")
    parser.add_argument("--speed", type=float, default=60_000, help="words a second of one worker [60,000]")
    parser.add_argument("--stragglers", type=float, default=0.02, help="share of slow workers [0.02]")
    parser.add_argument("--hours-between-failures", type=float, default=1000, help="of one machine [1000]")
    parser.add_argument("--restart", type=float, default=120, help="seconds until a machine is back [120]")
    parser.add_argument("--overhead", type=float, default=0.1, help="seconds of a task that are no parsing [0.1]")
    parser.add_argument("--tasks-a-second", type=float, default=1000, help="that the scheduler hands out [1000]")
    parser.add_argument("--tasks", type=float, nargs="+", default=[3, 10, 30, 60, 120, 300, 900], metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    work = options.words / options.speed
    print(f"{options.words:g} words, {options.workers:,} workers: {work / 3600:,.0f} core-hours of parsing, "
          f"{work / options.workers / 60:.1f} minutes if nothing were lost\n")
    print("| seconds a task | words a task | tasks | minutes | useful | lost to failures | done twice | "
          "minutes with speculation | useful |")
    print("|---|---|---|---|---|---|---|---|---|")
    for seconds in options.tasks:
        plain = Run(options, seconds, False)
        plain_time = plain.makespan()
        fast = SpeculativeRun(options, seconds, True)
        fast_time = fast.makespan()

        def share(part, time):
            return f"{100 * part / (time * options.workers):.1f} %"

        print(f"| {seconds:g} | {seconds * options.speed / 1e6:.1f} M | {len(plain.work):,} | {plain_time / 60:.1f} | "
              f"{share(work, plain_time)} | {share(fast.lost, fast_time)} | {share(fast.doubled, fast_time)} | "
              f"{fast_time / 60:.1f} | {share(work, fast_time)} |")


if __name__ == "__main__":
    main()
