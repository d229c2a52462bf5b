/** What a person is told in their chat when it is not the agent who speaks, in the language they wrote in. */
export type Language = 'en' | 'zh';

export type Phrase =
  | 'failed'
  | 'too_large'
  | 'message_too_large'
  | 'connection_lost'
  | 'silent'
  | 'frame_too_large'
  | 'restarted'
  | 'unreadable'
  | 'empty'
  | 'stopped'
  | 'nothing_runs'
  | 'choose_one'
  | 'choose_many'
  | 'plan'
  | 'file_missing'
  | 'file_refused'
  | 'file_not_handed';

/** `{}` stands for the phrase's one detail. */
const PHRASES: Readonly<Record<Phrase, Readonly<Record<Language, string>>>> = {
  failed: { en: 'The agent could not answer ({}).', zh: '智能体未能回答（{}）。' },
  too_large: { en: 'The answer of the agent was too large to be sent.', zh: '智能体的回答过大，无法发送。' },
  message_too_large: { en: 'This message is too long for the agent.', zh: '这条消息过长，无法发送给智能体。' },
  connection_lost: {
    en: 'The connection to the agent was lost while it was working. Please ask again.',
    zh: '智能体工作时连接中断，请重新提问。',
  },
  silent: { en: 'The agent did not answer in time. Please ask again.', zh: '智能体未在规定时间内回答，请重新提问。' },
  frame_too_large: {
    en: 'The connection to the agent was lost: a message or an answer was too large for it.',
    zh: '与智能体的连接中断：消息或回答过大，无法传送。',
  },
  restarted: {
    en: 'The program was restarted while the agent was working. Please ask again.',
    zh: '智能体工作时程序重新启动，请重新提问。',
  },
  unreadable: {
    en: 'An answer of the agent can not be read from the disk any more. Please ask again.',
    zh: '智能体的一条回答已无法从磁盘读取，请重新提问。',
  },
  empty: { en: 'The agent finished without an answer.', zh: '智能体已结束，没有给出回答。' },
  stopped: { en: 'Stopped.', zh: '已停止。' },
  nothing_runs: { en: 'Nothing is running.', zh: '当前没有正在进行的任务。' },
  choose_one: { en: 'Reply with a number, or in your own words.', zh: '请回复数字，或直接用文字回答。' },
  choose_many: {
    en: 'Reply with one or more numbers, such as 1,3, or in your own words.',
    zh: '请回复一个或多个数字，例如 1,3，或直接用文字回答。',
  },
  plan: {
    en: 'The agent asks you to approve this plan. Reply with what you think of it.',
    zh: '智能体请你确认此计划，请回复你的意见。',
  },
  file_missing: { en: '[file "{}" could not be fetched]', zh: '[文件“{}”无法获取]' },
  file_refused: { en: '[file "{}" could not be sent]', zh: '[文件“{}”无法发送]' },
  file_not_handed: { en: '[file "{}" could not be handed over]', zh: '[文件“{}”无法转交]' },
};

export function say(phrase: Phrase, language: Language, detail = ''): string {
  return PHRASES[phrase][language].replace('{}', () => detail);
}

/** Chinese when there is a Han character in what was written, English otherwise. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}

const NAME_MAX = 120;

/** A name from outside, fit to stand in a line of ours. */
export function plainName(name: string): string {
  return (
    name
      .replace(/[\p{C}\s"“”]+/gu, ' ')
      .trim()
      .slice(0, NAME_MAX) || 'file'
  );
}
