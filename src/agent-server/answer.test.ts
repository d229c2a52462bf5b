import { describe, expect, it } from 'vitest';
import { Answer } from './answer.js';

function finalText(content: string): string {
  const answer = new Answer();
  answer.take({ event_type: 'chat.final', content });
  return answer.text;
}

describe('an answer with the thoughts of its model inside', () => {
  it.each([
    ['<think>hm</think>\n\nYes.', 'Yes.'],
    ['One <think>a</think> two <think>b\nc</think>three', 'One two three'],
    ['<think>a <think>b</think> c', 'c'],
    ['a < b </think> <think>', 'a < b </think> <think>'],
    ['no <think>end', 'no <think>end'],
  ])('%j is shown as %j', (content, shown) => {
    expect(finalText(content)).toBe(shown);
  });

  it('of a server gone wild does not hold up the host', () => {
    const wild = '<think>'.repeat(200_000);
    expect(finalText(wild)).toBe(wild);
  });
});
