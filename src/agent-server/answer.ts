import type { JsonObject } from '../e2a/index.js';
import { errorTypeOf, objectAt, objectsAt, textOf } from './pieces.js';

/** What one event of an answer means to a chat. */
export type AnswerStep =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'files'; readonly files: readonly JsonObject[] }
  | { readonly kind: 'question' | 'plan'; readonly payload: JsonObject }
  | { readonly kind: 'nothing' };

/** Letters of an answer at most, so that a server gone wild does not take the memory; a frame may hold more than any chat shows. */
const MAX_TEXT = 2 * 1024 * 1024;

/**
 * An answer while it grows. What counts in the end is the last `chat.final` that is not empty; a server may close several
 * bubbles with one each, and a failure may be an event of a request that then ends well (E2A 12.9).
 */
export class Answer {
  /** What was shown so far. */
  #streamed = '';
  #final = '';
  #result = '';
  #failure: string | undefined;

  take(payload: JsonObject): AnswerStep {
    switch (payload['event_type']) {
      case 'chat.delta':
        return payload['source_chunk_type'] === 'llm_reasoning' ? { kind: 'thinking' } : this.#delta(payload);
      case 'chat.reasoning':
      case 'chat.processing_status':
      case 'chat.tool_result':
        return { kind: 'thinking' };
      case 'chat.tool_call':
      case 'chat.tool_update':
        return toolStep(payload);
      case 'chat.final': {
        const content = withoutThoughts(textOf(payload['content']));
        if (content.trim() !== '') this.#final = content.slice(0, MAX_TEXT);
        return filesStep(payload);
      }
      case 'chat.error':
        this.#failure = errorTypeOf(payload);
        return { kind: 'nothing' };
      case 'chat.file':
      case 'chat.media':
        return filesStep(payload);
      case 'chat.ask_user_question':
        return { kind: 'question', payload };
      case 'plan.approval_required':
        return { kind: 'plan', payload };
      case undefined:
        this.#result = withoutThoughts(textOf(payload['content']) || textOf(payload['output'])).slice(0, MAX_TEXT);
        return filesStep(payload);
      default:
        return { kind: 'nothing' };
    }
  }

  /** The whole answer as far as it is known: what the server called final, else its result, else what was shown. */
  get text(): string {
    return [this.#final, this.#result, withoutThoughts(this.#streamed)].find((text) => text.trim() !== '') ?? '';
  }

  /** The error type of a failure that the server told within the answer. */
  get failure(): string | undefined {
    return this.#failure;
  }

  #delta(payload: JsonObject): AnswerStep {
    const text = textOf(payload['content']);
    if (text === '' || this.#streamed.length >= MAX_TEXT) return { kind: 'nothing' };
    this.#streamed += text;
    return { kind: 'text', text };
  }
}

const THOUGHT_BEGINS = '<think>';
const THOUGHT_ENDS = '</think>';

/** Some models put their thoughts into the answer itself. No regular expression: one takes minutes where none of many ends. */
function withoutThoughts(text: string): string {
  const [before = '', ...thoughts] = splitAtThoughts(text);
  return before + thoughts.map((after) => after.trimStart()).join('');
}

/** What stands around the thoughts. */
function splitAtThoughts(text: string): string[] {
  const around: string[] = [];
  let from = 0;
  for (;;) {
    const begin = text.indexOf(THOUGHT_BEGINS, from);
    const end = begin === -1 ? -1 : text.indexOf(THOUGHT_ENDS, begin);
    if (end === -1) return [...around, text.slice(from)];
    around.push(text.slice(from, begin));
    from = end + THOUGHT_ENDS.length;
  }
}

function toolStep(payload: JsonObject): AnswerStep {
  const call = objectAt(payload, 'tool_call');
  const name = textOf(call['name']) || textOf(payload['tool_name']) || textOf(payload['name']);
  return name === '' ? { kind: 'thinking' } : { kind: 'tool', name };
}

function filesStep(payload: JsonObject): AnswerStep {
  const files = objectsAt(payload, 'files');
  return files.length === 0 ? { kind: 'nothing' } : { kind: 'files', files };
}
