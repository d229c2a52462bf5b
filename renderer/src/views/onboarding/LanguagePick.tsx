import type { ReactNode } from 'react';
import { Segmented } from '../../components/Segmented.js';
import { usePreferences } from '../../components/use-preferences.js';
import { useWords } from '../../words/index.js';

/** The language, for whoever was greeted in the wrong one. */
export function LanguagePick(): ReactNode {
  const { t, language } = useWords();
  const [, change] = usePreferences();
  return (
    <Segmented
      label={t('settings.general.language')}
      value={language}
      segments={[
        { value: 'en', label: <span lang="en">English</span> },
        { value: 'zh', label: <span lang="zh-CN">简体中文</span> },
      ]}
      onPick={(value) => change({ language: value })}
    />
  );
}
