import type { ReactNode } from 'react';
import type { ConnectorSnapshot, QuestionSnapshot } from '../../../../src/bridge/index.js';
import { useCommand } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { VerifyCode } from '../../views/connect/VerifyCode.js';
import { useWords } from '../../words/index.js';

interface QuestionBannerProps {
  readonly connector: ConnectorSnapshot;
  readonly question: QuestionSnapshot;
}

/** A sign-in that an agent began waits for something that only the person knows, and the agent may have no field for it. */
export function QuestionBanner({ connector, question }: QuestionBannerProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const { run } = useCommand('sign-in-input');
  const [field] = question.fields;
  if (field === undefined) return null;
  const { authSessionId, code } = question;
  const network = words.network(connector.name, connector.label);
  return (
    <Banner tone="attention" sign="hold" title={t('question.title', { network })}>
      <p>{t('question.text')}</p>
      <VerifyCode
        key={code}
        unasked
        field={field}
        network={network}
        wrong={code === 'verify_code_wrong'}
        onCode={async (input) => {
          const outcome = await run({ connector: connector.name, authSessionId, input: { ...input } });
          if (!outcome.ok) throw outcome.refusal;
        }}
      />
    </Banner>
  );
}
