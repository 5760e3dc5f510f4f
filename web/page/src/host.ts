/*
 * host.ts - the one engine of the page.
 */
import { connect } from "./engine/client";

/* The worker's own address is another folder's: the page names the module. */
export const engine = connect(new URL("fulcrum.wasm", document.baseURI).href);
