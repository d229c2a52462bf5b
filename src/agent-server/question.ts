import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { parseJson } from '../base/parse-json.js';
import type { JsonObject } from '../e2a/index.js';
import { objectsAt, textOf } from './pieces.js';
import { say, type Language } from './words.js';

const Asked = Type.Object({
  question: Type.String(),
  header: Type.String(),
  options: Type.Array(Type.Object({ label: Type.String(), description: Type.String() })),
  multiSelect: Type.Boolean(),
});
type Asked = Static<typeof Asked>;

const Given = Type.Object({
  question: Type.String(),
  selected_options: Type.Array(Type.String()),
  custom_input: Type.Optional(Type.String()),
});
type Given = Static<typeof Given>;

/** A question of the agent (`chat.ask_user_question`), put to the person one part after the other. Plain values: it is stored. */
const QuestionSchema = Type.Object({
  /** The agent's id of it, which the answer must name. */
  requestId: Type.String(),
  source: Type.String(),
  asked: Type.Array(Asked),
  given: Type.Array(Given),
  /** The message that gave the last part, so that its repeat is not taken for the next one. */
  lastReply: Type.Optional(Type.String()),
  /** The request of ours within which it was asked: what ends that one before its time ends the question. */
  askedBy: Type.Optional(Type.String()),
});
export type Question = Static<typeof QuestionSchema>;

/** Parts of a question and options of a part at most; what is more is not asked. */
const MAX_PARTS = 8;
const MAX_OPTIONS = 20;

/**
 * The question in an event; undefined when it asks nothing or can't be answered.
 * @param askedBy the request that is under way and asks; undefined when the server asks by itself
 */
export function readQuestion(payload: JsonObject, askedBy: string | undefined): Question | undefined {
  const asked = objectsAt(payload, 'questions')
    .slice(0, MAX_PARTS)
    .map((item): Asked => ({
      question: textOf(item['question']),
      header: textOf(item['header']),
      options: objectsAt(item, 'options')
        .map((option) => ({ label: textOf(option['label']), description: textOf(option['description']) }))
        .filter(({ label }) => label !== '')
        .slice(0, MAX_OPTIONS),
      multiSelect: item['multi_select'] === true,
    }))
    .filter(({ question, header }) => question !== '' || header !== '');
  const requestId = textOf(payload['request_id']);
  if (requestId === '' || asked.length === 0) return undefined;
  return { requestId, source: textOf(payload['source']), asked, given: [], ...(askedBy !== undefined && { askedBy }) };
}

/** A question as it was stored; undefined when it can't be read any more. */
export function restoreQuestion(text: string): Question | undefined {
  const value = parseJson(text);
  return Value.Check(QuestionSchema, value) ? value : undefined;
}

/** The part that waits for an answer, as the person reads it: a numbered choice. */
export function askText(question: Question, language: Language): string {
  const part = question.asked[question.given.length];
  if (!part) return '';
  const head = [part.header, part.question].filter((line) => line !== '');
  if (part.options.length === 0) return head.join('\n');
  const options = part.options.map(({ label, description }, index) => {
    const more = description === '' ? '' : ` – ${description}`;
    return `${String(index + 1)}. ${label}${more}`;
  });
  return [...head, ...options, say(part.multiSelect ? 'choose_many' : 'choose_one', language)].join('\n');
}

/** Takes the person's words as the answer to the part that waits. */
export function reply(question: Question, text: string, messageId: string): Question {
  const part = question.asked[question.given.length];
  if (!part) return question;
  const chosen = chosenOptions(part, text);
  const given: Given = chosen
    ? { question: part.question, selected_options: chosen }
    : { question: part.question, selected_options: [], custom_input: text };
  return { ...question, given: [...question.given, given], lastReply: messageId };
}

export function isAnswered(question: Question): boolean {
  return question.given.length >= question.asked.length;
}

/** The `params` of the request that answers. */
export function answerParams(question: Question): JsonObject {
  return { request_id: question.requestId, source: question.source, answers: question.given, query: '' };
}

/** The labels that numbers or the labels themselves name; undefined when the text is something else. */
function chosenOptions({ options, multiSelect }: Asked, text: string): string[] | undefined {
  const words = text.trim();
  const label = options.find((option) => option.label.toLowerCase() === words.toLowerCase());
  if (label) return [label.label];
  if (!/^\d+([\s,，、;]+\d+)*[.)。]?$/.test(words)) return undefined;
  const numbers = [...new Set((words.match(/\d+/g) ?? []).map(Number))];
  if (numbers.length > 1 && !multiSelect) return undefined;
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  return labels.length === numbers.length ? labels : undefined;
}
