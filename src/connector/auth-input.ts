import { ErrorCode, type AuthField, type AuthFlow } from '../protocol/index.js';
import { AckError } from './connector.js';

/** Form fields as text, without blank ones. */
export type FormInput = Readonly<Record<string, string>>;

/** The flow a request means: an empty id means the only one (R19). @throws AckError `auth_start_failed` */
export function chooseFlow(flows: readonly AuthFlow[], flowId: string | null | undefined): AuthFlow {
  if (!flowId) {
    const [only, ...others] = flows;
    if (only && others.length === 0) return only;
    throw new AckError(ErrorCode.authStartFailed, 'flow_id is required, because this connector has several flows');
  }
  const flow = flows.find(({ id }) => id === flowId);
  if (!flow) throw new AckError(ErrorCode.authStartFailed, 'this connector has no such authentication flow');
  return flow;
}

/**
 * The fields a flow declares, out of what was sent; anything else is ignored, and a blank field is as good as none.
 * @throws AckError `auth_start_failed` naming a field that is not text
 */
export function readInput(flow: AuthFlow, input: Readonly<Record<string, unknown>> | null | undefined): FormInput {
  const read: Record<string, string> = {};
  for (const field of flow.fields ?? []) {
    const text = fieldText(field, input?.[field.name]);
    if (text.trim() !== '') read[field.name] = text;
  }
  return read;
}

/**
 * Completes the input with the flow's default values.
 * @throws AckError `auth_start_failed` naming the first required field that is missing
 */
export function completeInput(flow: AuthFlow, input: FormInput): FormInput {
  const complete: Record<string, string> = { ...input };
  for (const field of flow.fields ?? []) {
    if (complete[field.name] === undefined && field.default_value) complete[field.name] = field.default_value;
    if (field.required && complete[field.name] === undefined) {
      throw new AckError(ErrorCode.authStartFailed, `${field.name} is required`);
    }
  }
  return complete;
}

/** What was typed into fields that nobody may read. */
export function secretsOf(flow: AuthFlow, input: FormInput): string[] {
  return (flow.fields ?? []).filter(isSecret).flatMap(({ name }) => input[name] ?? []);
}

function isSecret(field: AuthField): boolean {
  return field.secret === true || field.input_type === 'password';
}

function fieldText(field: AuthField, value: unknown): string {
  if (value === undefined || value === null) return '';
  // A chat id is digits: some clients send it as a number.
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new AckError(ErrorCode.authStartFailed, `${field.name} must be text`);
  // A secret may begin or end with a space; a name or a number never means to.
  return isSecret(field) ? value : value.trim();
}
