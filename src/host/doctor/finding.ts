import type { Finding, FindingCode } from '../../bridge/index.js';
import { FINDING_WORDS } from './words.js';

type Values = Finding['values'];

/** @param check what was looked at, as the command line names it */
export function finding(check: string, status: Finding['status'], code: FindingCode, values: Values = {}): Finding {
  const { detail, todo = '' } = FINDING_WORDS[code];
  return {
    check,
    status,
    code,
    values,
    detail: filled(detail, values),
    todo: status === 'ok' ? '' : filled(todo, values),
  };
}

function filled(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
