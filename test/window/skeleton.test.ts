import { expect, it } from 'vitest';
import { allWell, snapshot } from './fixtures/snapshot.js';
import { running, withHost } from './fixtures/window-state.js';
import { busy, messageAnswers } from './states/messages.js';
import { AT_FIRST, NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';
import { NOW } from './support/window-case.js';

const suite = windowSuite({ isKept: true });

/** A row that is there may be this much higher or lower than what held its place; pixels. */
const MARGIN_PX = 12;

it.each([
  ['accounts', 'at first', AT_FIRST, '.ghost-account', '.acct', running(snapshot(allWell()))],
  ['accounts', 'narrow', NARROW, '.ghost-account', '.acct', running(snapshot(allWell()))],
  ['messages', 'at first', AT_FIRST, '.ghost-row', 'tbody tr:not(.grp)', running(busy)],
  ['settings', 'at first', AT_FIRST, '.ghost-row', '.section form.set', running(snapshot(allWell()))],
] as const)('bars in the place of %s are as high as what follows, in a window as it is %s', async (...row) => {
  const [view, , look, ghost, follows, state] = row;
  const starting = withHost({ stage: 'starting', since: NOW });
  const asks = view === 'settings' ? { settings: 'later' as const } : {};
  const first = view === 'settings' ? state : starting;
  const answers = { ...messageAnswers, ...asks };
  const window = await suite.open({ view, name: 'loading', hash: `#/${view}`, state: first, answers }, look);
  const heightOf = async (selector: string): Promise<number> =>
    (await window.page.locator(selector).first().boundingBox())!.height;
  const before = await heightOf(ghost);
  await window.answer('settings', messageAnswers['settings']!);
  await window.push(state);
  await window.page.locator(follows).first().waitFor();
  expect(Math.abs((await heightOf(follows)) - before)).toBeLessThanOrEqual(MARGIN_PX);
});
