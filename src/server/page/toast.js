// Tells what has happened, for eyes and screen readers, for a while; with a button that undoes it.
import { own } from "./dom.js";

const WHILE = 7000; // milliseconds

export class Toast {
  #timer = 0;

  /** Shows a message; with undo, a function, there is a button that calls it. */
  say(text, undo = null) {
    own("message").textContent = text;
    own("message-undo").hidden = undo === null;
    own("message-undo").onclick = undo;
    own("toast").classList.add("visible");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => own("toast").classList.remove("visible"), WHILE);
  }
}
