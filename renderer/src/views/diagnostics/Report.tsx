import { type ReactNode, useState } from 'react';
import type { BundleFacts } from '../../../../src/bridge/index.js';
import { useShellCommand } from '../../bridge/index.js';
import { useRead } from '../../bridge/use-read.js';
import { Button } from '../../components/Button.js';
import { Section } from '../../components/Section.js';
import { Sign } from '../../components/Sign.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useToast } from '../../components/toasts.js';
import { useWords } from '../../words/index.js';
import { ReportContents } from './ReportContents.js';
import { ReportEntries } from './ReportEntries.js';

/** A report without anything secret or personal in it, that the person may look through before it is saved. */
export function Report(): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const { value, refusal, again } = useRead<BundleFacts>('', (bridge) => bridge.call('bundle', {}));
  return (
    <Section title={t('diagnostics.report.title')}>
      <div className="panel">
        <ReportContents />
        {value !== undefined && <Ready bundle={value} />}
        {value === undefined && refusal === undefined && (
          <div className="set stack">
            <Sign name="busy" tone="busy" />
            <p className="grow">{t('diagnostics.report.loading')}</p>
          </div>
        )}
        {refusal !== undefined && (
          <div className="set stack">
            <Sign name="danger" tone="danger" />
            <p className="grow">{refusalWords(refusal)}</p>
            <Button onClick={again}>{t('action.try_again')}</Button>
          </div>
        )}
      </div>
    </Section>
  );
}

function Ready({ bundle }: { readonly bundle: BundleFacts }): ReactNode {
  const { t, format } = useWords();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const save = useShellCommand('save-bundle');
  const [open, setOpen] = useState(false);
  const size = bundle.entries.reduce((sum, { byteSize }) => sum + byteSize, 0);

  async function saveIt(): Promise<void> {
    const outcome = await save.run({});
    if (!outcome.ok) toast({ text: refusalWords(outcome.refusal) });
    else if (outcome.result.saved) toast({ text: t('diagnostics.report.saved') });
  }

  return (
    <>
      <div className="set stack">
        <Sign name="ok" tone="ok" />
        <div className="grow">
          <p>{t('diagnostics.report.searched', { n: bundle.secretsSearched })}</p>
          <p className="help">{t('diagnostics.report.place', { size: format.bytes(size) })}</p>
        </div>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('diagnostics.report.hide') : t('diagnostics.report.look')}
        </Button>
        <Button kind="primary" icon="save" busy={save.busy} onClick={() => void saveIt()}>
          {t('diagnostics.report.save')}
        </Button>
      </div>
      {open && <ReportEntries entries={bundle.entries} />}
    </>
  );
}
