/*
 * dom.ts - elements in one line, without a framework.
 */
type Attributes = Record<string, string | number | boolean | null | EventListener>;
type Child = Node | string | null | undefined;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
}

/* el("button", { type: "button", click: () => … }, "Fit") */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

const FOCUSABLE = "button, input, select, textarea, summary, a[href], [tabindex='0']";

/* What one of the things in a part is known by, when the part is made anew. */
function signOf(e: HTMLElement): string {
  return [e.tagName, e.id, e.dataset.key ?? e.dataset.break ?? "", e.getAttribute("aria-label") ?? "", e instanceof HTMLSelectElement ? "" : e.textContent].join("|");
}

/* Makes a part of the page anew; the focus stays with what it was on, or at least
 * where it was: a keyboard is never sent back to the top. */
export function keepFocus(host: HTMLElement, rebuild: () => void): void {
  const on = document.activeElement;
  const had = on instanceof HTMLElement && host !== on && host.contains(on) ? on : null;
  const sign = had ? signOf(had) : "";
  const place = had ? [...host.querySelectorAll(FOCUSABLE)].indexOf(had) : -1;
  rebuild();
  if (!had || host.contains(document.activeElement)) return;
  const now = [...host.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((e) => !e.matches(":disabled"));
  (now.find((e) => signOf(e) === sign) ?? now[Math.min(place, now.length - 1)])?.focus();
}

/* An icon of the set below, 18 wide, in the colour of the text. */
export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const [d, filled] = ICONS[name];
  const path = svg("path", { d });
  const root = svg("svg", { class: filled ? "ic full" : "ic", viewBox: "0 0 22 22", "aria-hidden": "true" }, path);
  return root;
}

const ICONS = {
  link: ["M9 13l4-4M8 9l-2 2a3.2 3.2 0 0 0 5 5l2-2M14 13l2-2a3.2 3.2 0 0 0-5-5l-2 2", false],
  theme: ["M4 11a7 7 0 1 0 14 0a7 7 0 1 0 -14 0M11 4v14M13 5.2v11.6M15 6.4v9.2M17 8.6v4.8", false],
  first: ["M11 6v10l-6-5zM17 6v10l-6-5z", true],
  back: ["M6 6h2v10H6zM16 6v10l-8-5z", true],
  play: ["M8 5.5v11l9-5.5z", true],
  pause: ["M7 6h3v10H7zM12 6h3v10h-3z", true],
  on: ["M14 6h2v10h-2zM6 6v10l8-5z", true],
  last: ["M11 6v10l6-5zM5 6v10l6-5z", true],
  dice: ["M4 4h14v14H4zM8 8v.01M14 14v.01M11 11v.01M14 8v.01M8 14v.01", false],
  left: ["M13 5l-6 6l6 6", false],
  right: ["M9 5l6 6l-6 6", false],
  close: ["M6 6l10 10M16 6L6 16", false],
  menu: ["M4 7h14M4 11h14M4 15h14", false],
} as const;
