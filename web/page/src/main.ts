/*
 * main.ts - puts the page together.
 */
import { runCommand } from "./act";
import { get } from "./model/store";
import { enterMode } from "./modes";
import "./rooms";
import { stage } from "./views/stage";

stage();
void runCommand(["sim", "vitanyi", "--names", "1,2,3,4,5,6,7,8"]);
Object.assign(window, { fulcrum: { get, enterMode } });
