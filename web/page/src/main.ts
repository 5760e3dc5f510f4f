/*
 * main.ts - puts the page together.
 */
import { enterMode } from "./modes";
import { get } from "./model/store";

enterMode(get().mode);
