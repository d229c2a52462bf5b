/**
 * The `/local` network: a chat inside the program itself, between the person at this computer and an agent.
 * Its network side is {@link LocalChat}: write as the person, read what the agent answered, see it type.
 */
export * from './chat.js';
export { createLocalTarget, type LocalTarget } from './local-target.js';
