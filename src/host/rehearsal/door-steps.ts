import type { Play, Step } from './play.js';
import { fieldsIn, probe } from './probe.js';
import { must } from './step-failure.js';

/** Names that are never ours (RFC 6761): what a page of another site, or a name that was led here, would say. */
const FOREIGN_NAME = 'rehearsal.invalid';
const WRONG_KEY = 'a-key-that-is-not-the-key';

/** Every network's card and skill, as an agent reads them first: at the addresses that the person gives it. */
export const card: Step = async ({ url, parts }, signal) => {
  must(parts.connectors.length > 0, 'no_connectors');
  for (const { name, cardId } of parts.connectors) {
    const answer = await probe(`${url}/${name}/connector-card.json`, { signal });
    must(answer.status === 200, 'card_invalid', `${name}: the card was answered ${answer.status}`);
    must(fieldsIn(answer)['connector_card_id'] === cardId, 'card_invalid', `${name}: another card`);
    const skill = await probe(`${url}/${name}/skill.md`, { signal });
    must(skill.status === 200, 'card_invalid', `${name}: the skill was answered ${skill.status}`);
  }
};

/** The key opens every network. */
export const key: Step = async (play, signal) => {
  for (const { name } of play.parts.connectors) {
    const headers = { authorization: `Bearer ${play.key}` };
    const { status } = await probe(`${play.url}/${name}/health`, { headers, signal });
    must(status !== 503, 'key_unavailable');
    must(status === 200, 'key_refused', `${name}: health was answered ${status}`);
  }
};

/** No key, a wrong key, a foreign Host and a foreign Origin do not get in. Tried on the stage, where it counts for nobody. */
export const refusals: Step = async (play, signal) => {
  const health = `${play.stageUrl}/health`;
  const { port } = new URL(play.url);
  const tries: readonly [string, number[], Readonly<Record<string, string>>][] = [
    ['no key', [401], {}],
    ['a wrong key', [401, 429], { authorization: `Bearer ${WRONG_KEY}` }],
    ['a foreign host', [403], { host: `${FOREIGN_NAME}:${port}`, ...authorization(play) }],
    ['a foreign origin', [403], { origin: `http://${FOREIGN_NAME}`, ...authorization(play) }],
  ];
  for (const [what, refused, headers] of tries) {
    const { status } = await probe(health, { headers: { ...play.passHeader, ...headers }, signal });
    must(refused.includes(status), 'not_refused', `${what} was answered ${status}`);
  }
};

/** With the right key, so that it is the foreign name that is refused. */
function authorization({ key: rightKey }: Play): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${rightKey}` };
}
