import { newId } from '../../base/ids.js';
import { IM_V2, PROTOCOL_VERSION } from '../../protocol/index.js';
import { fieldsOf, textOf } from '../../targets/json-fields.js';
import type { Play, Step } from './play.js';
import { PlayedAgent } from './played-agent.js';
import { must, StepFailure } from './step-failure.js';

/** How the agent names itself; nobody but the stage hears it. */
const CLIENT = { name: 'rehearsal', version: '1' };
const PIECES = ['An answer ', 'that grows ', 'piece by piece.'];

/** The socket opens and is greeted. */
export const hello: Step = async (play, signal) => {
  const agent = await PlayedAgent.open(`${play.stageUrl.replace(/^http/, 'ws')}/ws`, play.agentHeaders, signal);
  play.agent = agent;
  const { errorCode } = await agent.request('connector.hello', {
    connector_card_id: play.parts.stage.connector.card.connector_card_id,
    connector_id: '',
    protocol_version: PROTOCOL_VERSION,
    supported_profiles: [IM_V2],
    client: CLIENT,
  });
  must(errorCode === undefined, 'hello_refused', `hello was answered ${errorCode ?? ''}`);
};

/** A channel opens, and somebody signs in on it. */
export const channel: Step = async (play) => {
  const opened = await play.played.request('channel.open', {}, '');
  const channelId = textOf(opened.payload['connector_channel_id']);
  must(channelId !== undefined, 'sign_in_failed', `channel.open was answered ${opened.errorCode ?? ''}`);
  const signedIn = await play.played.request('auth.start', { input: { display_name: 'Rehearsal' } }, channelId);
  if (signedIn.payload['status'] !== 'authenticated') {
    throw new StepFailure(play.parts.secretsReady() ? 'sign_in_failed' : 'key_unavailable');
  }
  const account = play.parts.stage.connector.accounts().find((one) => one.channelId === channelId);
  must(account !== undefined, 'sign_in_failed', 'nobody is signed in on the channel');
  play.parts.stage.signedIn(account.accountId);
  play.channelId = channelId;
  play.accountId = account.accountId;
};

/** The person writes; the agent gets it, confirms it, and the chat says so. */
export const inbound: Step = async (play, signal) => {
  const text = `A message ${newId('msg')}`;
  const { messageId } = await play.chat.send(play.accountId, { text });
  await takeMessage(play, messageId, signal, (payload) => {
    must(payload['text'] === text, 'message_not_offered', 'another text arrived');
  });
};

/** Waits for the person's message, confirms it, and waits until the chat knows. */
export async function takeMessage(
  play: Play,
  messageId: string,
  signal: AbortSignal,
  check: (payload: Readonly<Record<string, unknown>>) => void | Promise<void>,
): Promise<void> {
  must(!play.parts.paused(), 'delivery_paused');
  const packet = await play.played.next(
    ({ type, payload }) => type === 'chat.message' && payload['message_id'] === messageId,
  );
  await check(packet.payload);
  const ack = { message_id: messageId, status: 'accepted' };
  play.played.reply('chat.message.ack', ack, packet, play.channelId);
  const isConfirmed = (): boolean =>
    play.shown().some((one) => one.messageId === messageId && one.state === 'delivered');
  await play.untilShown(isConfirmed, signal);
  must(isConfirmed(), 'message_not_confirmed');
}

/** The agent thinks, streams, and ends; the chat shows the answer grow, and then once as a whole. */
export const answer: Step = async (play, signal) => {
  const messageId = newId('msg');
  play.answerId = messageId;
  play.played.send('chat.activity', { status: 'thinking' }, play.channelId);
  for (const [index, text] of PIECES.entries()) {
    play.played.send('chat.message.delta', { message_id: messageId, sequence: index + 1, text }, play.channelId);
  }
  await play.untilShown((messages) => messages.some(({ growing }) => growing), signal);
  must(
    play.shown().some(({ growing }) => growing),
    'answer_not_shown',
    'the answer did not grow',
  );
  must((await finish(play)) === 'accepted', 'answer_refused');
  must(isShownOnce(play), 'answer_not_shown', 'the answer is not there once');
};

/** The same answer again is known, and shown no second time. */
export const repeat: Step = async (play) => {
  must((await finish(play)) === 'duplicate', 'answered_twice', 'the repeated answer was not known');
  must(isShownOnce(play), 'answered_twice');
};

/** Sends the whole answer. @returns the status it was acknowledged with */
async function finish(play: Play): Promise<unknown> {
  const payload = { message_id: play.answerId, text: PIECES.join('') };
  const acknowledged = await play.played.request('chat.message', payload, play.channelId);
  return fieldsOf(acknowledged.payload)['status'];
}

function isShownOnce(play: Play): boolean {
  const whole = PIECES.join('');
  const answers = play.shown().filter(({ from }) => from === 'agent');
  return answers.length === 1 && answers[0]?.text === whole && !answers[0].growing;
}
