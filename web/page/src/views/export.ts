/*
 * export.ts - the picture as SVG or PNG, the run as a trace, the diagram as text.
 */
import { byId, el } from "../dom";
import { engine } from "../host";
import { get } from "../model/store";
import { say } from "../say";
import { EXPORT } from "../words";
import { pictureSvg } from "./spacetime/picture";

function save(name: string, type: string, bytes: BlobPart): void {
  const a = el("a", { href: URL.createObjectURL(new Blob([bytes], { type })), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

function fileName(ending: string): string {
  const head = get().shown!.run.rec.head;
  return `${head.protocol}-${head.nodes}.${ending}`;
}

export function saveSvg(): void {
  save(fileName("svg"), "image/svg+xml", pictureSvg());
}

export async function savePng(): Promise<void> {
  const text = pictureSvg();
  const image = new Image();
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await new Promise((done, failed) => {
    image.onload = done;
    image.onerror = failed;
    image.src = url;
  });
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(fileName("png"), "image/png", blob);
}

export async function saveTrace(): Promise<void> {
  const { shown } = get();
  if (!shown) return;
  if (shown.id < 0) return say(EXPORT.noTrace);
  save(fileName("trace"), "text/plain", await engine.trace(shown.id));
}

/* The text diagram: the full alternative to the picture. */
export async function asText(): Promise<void> {
  const { shown } = get();
  if (!shown) return;
  let text: string;
  try {
    text = await engine.text(shown.id);
  } catch (e) {
    text = e instanceof Error ? e.message : String(e);
  }
  sheet(EXPORT.asText, el("pre", { class: "mono", tabindex: 0 }, text));
}

/* A dialog with one thing in it. */
export function sheet(title: string, ...content: Node[]): HTMLDialogElement {
  const dialog = el("dialog", { class: "sheet", "aria-label": title },
    el("div", { class: "sheethead" }, el("h3", {}, title),
      el("button", { type: "button", click: () => dialog.close() }, EXPORT.close)),
    ...content);
  dialog.addEventListener("close", () => { dialog.remove(); byId("stage").focus(); });
  dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function exportMenu(): HTMLElement {
  const item = (name: string, act: () => void): HTMLButtonElement =>
    el("button", { type: "button", click: () => { if (get().shown) act(); menu.open = false; } }, name);
  const menu = el("details", { class: "menu" },
    el("summary", {}, EXPORT.save),
    el("div", {},
      item("SVG", saveSvg), item("PNG", () => void savePng()), item(EXPORT.trace, () => void saveTrace()),
      item(EXPORT.asText, () => void asText())));
  menu.addEventListener("focusout", (e) => {
    if (!menu.contains(e.relatedTarget as Node | null)) menu.open = false;
  });
  return menu;
}
