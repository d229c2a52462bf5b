/**
 * A stateful stand-in for Telegram's Bot API on loopback, for tests, the conformance suite and the demo.
 *
 *   const telegram = await startTelegramSimulator({ token: '123456:abc' });
 *   createTelegramTarget({ apiRoot: telegram.apiRoot });
 *   telegram.say(42, 'hello');                       // the person with user and chat id 42 writes to the bot
 *   telegram.faults.add('sendMessage', refusals.tooMany(1));
 *   await telegram.until(() => telegram.textsIn(42).length === 1);
 *
 * It keeps to the rules that programs stumble over: an offset confirms for good, one long poll at a time, webhooks stop
 * polling, text is limited to 4096 UTF-16 units, an edit must change something, drafts are for private chats only and vanish,
 * photos have 10 MB, uploads 50 MB, downloads 20 MB. Groups must be made known with `addGroup`.
 */
export { startTelegramSimulator, type SimulatorOptions, type TelegramSimulator } from './simulator.js';
export { refusals, type Fault } from './faults.js';
export type { ChatMessage, PersonOptions } from './world.js';
