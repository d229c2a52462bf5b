/**
 * The rehearsal: an agent played by the host itself against its own running server. `stage.ts` is where it takes place,
 * `door-steps.ts`, `talk-steps.ts` and `file-steps.ts` are what happens, `rehearsal.ts` runs it and says how it went.
 */
export { Rehearsal } from './rehearsal.js';
export { createStage } from './stage.js';
