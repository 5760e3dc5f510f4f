/*
 * embed.ts - one figure for slides and papers: ?embed=time shows the space-time
 * diagram and nothing else, ?embed=network the network, ?embed=both the two,
 * ?embed=states the graph of the adversary.  The rest of the address is that of
 * the page, so a link becomes a figure by one word.
 */
import { el } from "../dom";
import { EMBED as W } from "../words";

const FIGURES = ["time", "network", "both", "states"];

/* The figure that the address asks for, or "". */
export function figureOf(search: string): string {
  return new URLSearchParams(search).get("embed") ?? "";
}

/* The same page with everything around it; it changes as the fragment does. */
function whole(): string {
  const url = new URL(location.href);
  url.searchParams.delete("embed");
  return url.href;
}

export function embed(): void {
  const figure = figureOf(location.search);
  if (figure === "") return;
  if (!FIGURES.includes(figure)) {
    document.body.prepend(el("p", { class: "complaint embed-note", role: "alert" }, W.badView(figure)));
    return;
  }
  document.body.dataset.embed = figure;
  const link = el("a", { class: "embed-link", href: whole(), target: "_top", rel: "noopener" }, W.again);
  link.addEventListener("focus", () => { link.href = whole(); });
  link.addEventListener("pointerenter", () => { link.href = whole(); });
  document.body.append(link);
}
