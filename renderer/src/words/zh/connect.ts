import type { connect as en } from '../en/connect.js';
import type { TranslationOf } from '../phrase.js';

export const connect: TranslationOf<typeof en> = {
  'connect.choose': '连接账号',
  'connect.to': '连接{network}',
  'body.label': '内容',
};
