import type { doctor as en } from '../en/doctor.js';
import type { TranslationOf } from '../phrase.js';

export const doctor: TranslationOf<typeof en> = {
  'doctor.other': '代码 {code}',
  'doctor.todo.other': '日志里有更多信息（代码 {code}）。',
};
