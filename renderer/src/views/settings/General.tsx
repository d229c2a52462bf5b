import type { ReactNode } from 'react';
import { useShellFacts } from '../../bridge/index.js';
import { Section } from '../../components/Section.js';
import { Segmented } from '../../components/Segmented.js';
import { usePreferences } from '../../components/use-preferences.js';
import { useWords } from '../../words/index.js';
import { AutostartRow } from './AutostartRow.js';

/** Language, appearance, and whether it starts by itself. */
export function General(): ReactNode {
  const { t } = useWords();
  const [{ language, theme }, change] = usePreferences();
  const { kind, autostart } = useShellFacts();
  return (
    <Section title={t('settings.general.title')}>
      <div className="panel">
        <div className="set stack flat">
          <div className="grow">
            <p>{t('settings.general.language')}</p>
          </div>
          <Segmented
            label={t('settings.general.language')}
            value={language}
            segments={[
              { value: 'system', label: t('settings.general.system') },
              { value: 'en', label: <span lang="en">English</span> },
              { value: 'zh', label: <span lang="zh-CN">简体中文</span> },
            ]}
            onPick={(value) => change({ language: value })}
          />
        </div>
        <div className="set stack flat">
          <div className="grow">
            <p>{t('settings.general.appearance')}</p>
          </div>
          <Segmented
            label={t('settings.general.appearance')}
            value={theme}
            segments={[
              { value: 'system', label: t('settings.general.system') },
              { value: 'light', label: t('settings.general.light') },
              { value: 'dark', label: t('settings.general.dark') },
            ]}
            onPick={(value) => change({ theme: value })}
          />
        </div>
        {kind === 'desktop' && <AutostartRow autostart={autostart} />}
      </div>
    </Section>
  );
}
