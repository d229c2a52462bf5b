import type { ReactNode } from 'react';
import { Section } from '../../components/Section.js';
import { SwitchRow } from '../../components/SwitchRow.js';
import { usePreferences } from '../../components/use-preferences.js';
import { useWords } from '../../words/index.js';

/** The three things worth a notification, and whether message text may stand in one. */
export function Notifications(): ReactNode {
  const { t } = useWords();
  const [{ notifySignIn, notifyExpired, notifyAgentAway, notificationText }, change] = usePreferences();
  return (
    <Section title={t('settings.general.notifications')}>
      <div className="panel">
        <SwitchRow
          label={t('settings.general.notify_sign_in')}
          on={notifySignIn}
          onSwitch={(on) => change({ notifySignIn: on })}
        />
        <SwitchRow
          label={t('settings.general.notify_expired')}
          on={notifyExpired}
          onSwitch={(on) => change({ notifyExpired: on })}
        />
        <SwitchRow
          label={t('settings.general.notify_agent_away')}
          help={t('settings.general.notify_agent_away_help')}
          on={notifyAgentAway}
          onSwitch={(on) => change({ notifyAgentAway: on })}
        />
        <SwitchRow
          label={t('settings.general.notification_text')}
          help={t('settings.general.notification_text_help')}
          on={notificationText}
          onSwitch={(on) => change({ notificationText: on })}
        />
      </div>
    </Section>
  );
}
