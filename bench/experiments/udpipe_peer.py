"""UDPipe 1's parser, by its Python package, on gold tokens and tags; an environment of its own runs this file:

    udpipe_peer.py train TRAIN DEV OPTIONS MODEL    trains a parser and prints what UDPipe says of each iteration
    udpipe_peer.py parse MODEL DATA PARSES          prints the processor time of parsing, reading and writing left out"""

import pathlib
import sys
import time

import ufal.udpipe as udpipe


def sentences(path):
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(pathlib.Path(path).read_text(encoding="utf-8"))
    read, error = [], udpipe.ProcessingError()
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        read.append(sentence)
    if error.occurred():
        sys.exit(f"{path}: {error.message}")
    return read


def train(training, dev, options, model):
    error = udpipe.ProcessingError()
    made = udpipe.Trainer.train("morphodita_parsito", udpipe.Sentences(sentences(training)),
                                udpipe.Sentences(sentences(dev)), "none", "none", options, error)
    if error.occurred():
        sys.exit(f"{training}: {error.message}")
    pathlib.Path(model).write_bytes(made)


def parse(model, data, parses):
    loaded, error, read = udpipe.Model.load(str(model)), udpipe.ProcessingError(), sentences(data)
    if not loaded:
        sys.exit(f"{model}: cannot be loaded")
    started = time.process_time()
    for sentence in read:
        if not loaded.parse(sentence, udpipe.Pipeline.DEFAULT, error):
            sys.exit(f"{data}: {error.message}")
    seconds = time.process_time() - started
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    pathlib.Path(parses).write_text("".join(map(writer.writeSentence, read)) + writer.finishDocument(), encoding="utf-8")
    print(f"{seconds:.3f}")


if __name__ == "__main__":
    {"train": train, "parse": parse}[sys.argv[1]](*sys.argv[2:])
