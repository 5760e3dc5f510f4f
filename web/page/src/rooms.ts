/*
 * rooms.ts - the rooms of the page, each of which registers itself; the order
 * is that of the list in the head.
 */
import "./rooms.css";
import "./tour/room";
import "./compare/room";
import "./break/room";
import "./adversary/room";
import "./course/room";
import { comparisonSwitch } from "./compare/switch";
import { embed } from "./embed/embed";

export function rooms(): void {
  comparisonSwitch();
  embed();
}
