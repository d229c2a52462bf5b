import type { AuthField, AuthFlow } from '../../protocol/index.js';
import { CliError, complain, type CliIo } from './io.js';
import { ask, readAll } from './prompt.js';

/** A form is a few short fields; more than this on standard input is something else. Bytes. */
const MAX_INPUT_BYTES = 64 * 1024;

export type FormInput = Record<string, string>;

/** Where the answers of a sign-in come from: a person at the terminal, or one JSON object that was piped in. */
export interface AnswerSource {
  /** The fields of the flow's form. */
  form(flow: AuthFlow): Promise<FormInput>;
  /** What the network asks for later, such as a verify code. */
  more(fields: readonly string[]): Promise<FormInput>;
}

/** `--input-stdin`: one JSON object of texts or numbers on standard input answers everything. @throws CliError */
export async function pipedAnswers(io: CliIo): Promise<AnswerSource> {
  let value: unknown;
  try {
    value = JSON.parse(await readAll(io, MAX_INPUT_BYTES));
  } catch {
    throw new CliError('--input-stdin expects one JSON object on standard input.');
  }
  const given = textsOf(value);
  if (given === undefined) throw new CliError('--input-stdin expects a JSON object whose values are texts or numbers.');
  const left = new Map(Object.entries(given));
  return {
    async form(flow) {
      const fields = flow.fields ?? [];
      const known = new Set(fields.map(({ name }) => name));
      const missing = fields.filter(({ name, required }) => required === true && (given[name] ?? '') === '');
      if (missing.length > 0)
        throw new CliError(`Missing on standard input: ${missing.map(({ name }) => name).join(', ')}.`);
      return Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name)));
    },
    // Each answer is given once: the same code again would only be wrong again.
    async more(fields) {
      const answers: FormInput = {};
      for (const name of fields) {
        const answer = left.get(name);
        if (answer === undefined)
          throw new CliError(`The network asks for ${name}, which standard input did not give.`);
        left.delete(name);
        answers[name] = answer;
      }
      return answers;
    },
  };
}

/** Asks a person. Without one at the terminal only flows that need no answer work. */
export function askedAnswers(io: CliIo): AnswerSource {
  return {
    async form(flow) {
      const answers: FormInput = {};
      for (const field of flow.fields ?? []) {
        const answer = io.interactive ? await askField(io, field) : unasked(field);
        if (answer !== '') answers[field.name] = answer;
      }
      return answers;
    },
    async more(fields) {
      if (!io.interactive) throw noTerminal();
      const answers: FormInput = {};
      for (const name of fields) answers[name] = await ask(io, `${name}: `, { secret: false });
      return answers;
    },
  };
}

async function askField(io: CliIo, field: AuthField): Promise<string> {
  const required = field.required === true;
  if (field.help_text !== undefined) complain(io, field.help_text);
  const fallback = field.default_value;
  const hint = fallback !== undefined ? ` [${fallback}]` : required ? '' : ' (optional)';
  for (;;) {
    const secret = field.secret === true || field.input_type === 'password';
    const answer = (await ask(io, `${field.label}${hint}: `, { secret })) || (fallback ?? '');
    if (answer !== '' || !required) return answer;
    complain(io, 'This field is required.');
  }
}

function unasked(field: AuthField): string {
  if (field.required === true && field.default_value === undefined) throw noTerminal();
  return field.default_value ?? '';
}

function noTerminal(): CliError {
  return new CliError('There is no terminal to ask at: give the fields with --input-stdin.');
}

/** As an agent's form is read: an id is digits, so that it may come as a number, and null is nothing. */
function textsOf(value: unknown): FormInput | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const given: FormInput = {};
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    if (item === null) continue;
    if (typeof item !== 'string' && typeof item !== 'number') return undefined;
    given[name] = String(item);
  }
  return given;
}
