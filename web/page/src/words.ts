/*
 * words.ts - everything that people read on the page, by room.
 */

/* The head, the frame, what belongs to no room. */
export const PAGE = {
  name: "Fulcrum",
  what: "playground",
};

/* The names of roles, as a card says them. */
export const ROLE_WORDS: Record<string, string> = {
  asleep: "asleep", awake: "awake", candidate: "candidate", lost: "lost",
  leader: "leader", done: "done", idle: "idle", sleeping: "wants in, has not asked yet",
  asking: "asks, window open", waiting: "waits", inside: "inside", mute: "mute",
  reading: "reads", writing: "writes", beside: "inside, reads", down: "down",
};
