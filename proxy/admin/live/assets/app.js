// The live page: what it shows first.
import { html, render } from "./vendor/htm-3.1.1/standalone.module.js";

render(html`<h1>warcorder</h1><p><a href="trust">Set up a browser</a></p>`,
  document.getElementById("page"));
