/*
 * rooms.ts - the rooms of the page, each of which registers itself.
 */
export function rooms(): void {
}
