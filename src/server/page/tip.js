// A small box beside what the pointer or the keyboard's focus is on; it stays inside the window.
import { html } from "./dom.js";

const DISTANCE = 10;

export class Tip {
  #box = html("div", { class: "tip", role: "status", "aria-hidden": "true", hidden: true });

  constructor() {
    document.body.append(this.#box);
  }

  /** Shows the content beside a place, or hides the box where there is none. */
  show(content, place) {
    this.#box.hidden = content === null;
    if (content === null) return;
    this.#box.replaceChildren(...content);
    const around = place.getBoundingClientRect();
    const own = this.#box.getBoundingClientRect();
    const x = Math.min(innerWidth - own.width - DISTANCE, Math.max(DISTANCE, around.left + (around.width - own.width) / 2));
    const isBelow = around.bottom + DISTANCE + own.height < innerHeight;
    this.#box.style.left = `${x}px`;
    this.#box.style.top = `${isBelow ? around.bottom + DISTANCE : Math.max(DISTANCE, around.top - own.height - DISTANCE)}px`;
  }
}
