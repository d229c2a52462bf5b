import { describe, expect, it } from 'vitest';
import { skillFor } from './skill.js';
import { FEISHU_SKILL } from '../targets/feishu/skill.js';
import { SKILL as LOCAL_SKILL } from '../targets/local/skill.js';
import { TELEGRAM_SKILL } from '../targets/telegram/skill.js';
import { WECHAT_SKILL } from '../targets/wechat/skill.js';
import { XMPP_SKILL } from '../targets/xmpp/skill.js';

const SKILLS = [
  ['feishu', FEISHU_SKILL],
  ['local', LOCAL_SKILL],
  ['telegram', TELEGRAM_SKILL],
  ['wechat', WECHAT_SKILL],
  ['xmpp', XMPP_SKILL],
] as const;

describe.each(SKILLS)('the skill of %s', (name, skill) => {
  const tool = `${name}_message_send`;

  it('is as it was written under IM Profile v2', () => {
    expect(skillFor(skill, 'xagent.im.v2', tool)).toBe(skill);
  });

  it('says first of all, under IM Profile v1, that an agent answers with the tool', () => {
    const [header = '', title = '', said = ''] = skillFor(skill, 'xagent.im.v1', tool).split('\n\n');
    expect(header).toMatch(new RegExp(`^---\nname: connector-im-${name}\n`));
    expect(title).toMatch(/^# /);
    expect(said).toContain(`Answer with \`${tool}\``);
  });
});
