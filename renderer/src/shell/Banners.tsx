import type { ReactNode } from 'react';
import type { HostStage, ShellFacts, Snapshot } from '../../../src/bridge/index.js';
import { useHost, useShellFacts } from '../bridge/index.js';
import { Told } from '../components/Told.js';
import { DiskBanner } from './banners/DiskBanner.js';
import { HostBanner } from './banners/HostBanner.js';
import { KeychainBanner } from './banners/KeychainBanner.js';
import { NoAgentBanner } from './banners/NoAgentBanner.js';
import { OfflineBanner } from './banners/OfflineBanner.js';
import { PausedBanner } from './banners/PausedBanner.js';
import { PortBanner } from './banners/PortBanner.js';
import { QuestionBanner } from './banners/QuestionBanner.js';
import { StoreBanner } from './banners/StoreBanner.js';
import { OnboardingBanner } from '../views/onboarding/OnboardingBanner.js';
import type { OnboardingProgress } from '../views/onboarding/use-onboarding.js';
import { isStart, useHash, type ViewName } from './route.js';

interface BannersProps {
  readonly view: ViewName;
  readonly onboarding: OnboardingProgress;
  /** The damaged store that the person was told of and closed the banner. */
  readonly storeTold: string | undefined;
  readonly onStoreTold: (file: string) => void;
}

/** What concerns the whole app, the gravest first. */
export function Banners(props: BannersProps): ReactNode {
  const host = useHost();
  const shell = useShellFacts();
  return (
    <>
      <Told>{host.stage !== 'running' && <OfOther host={host} />}</Told>
      {host.stage === 'running' && <OfRunning snapshot={host.snapshot} shell={shell} {...props} />}
    </>
  );
}

function OfOther({ host }: { readonly host: Exclude<HostStage, { stage: 'running' }> }): ReactNode {
  return <HostBanner key={host.stage} host={host} />;
}

interface OfRunningProps extends BannersProps {
  readonly snapshot: Snapshot;
  readonly shell: ShellFacts;
}

function OfRunning({ snapshot, shell, view, onboarding, storeTold, onStoreTold }: OfRunningProps): ReactNode {
  const { server, storage, secrets, paused } = snapshot;
  const setUpElsewhere = !isStart(useHash());
  const portTaken = server.state === 'port_taken';
  const damaged = storage.damagedSetAsideAs;
  return (
    <>
      {portTaken && <PortBanner server={server} />}
      {storage.intakePaused !== undefined && <DiskBanner storage={storage} code={storage.intakePaused} />}
      {damaged !== undefined && damaged !== storeTold && (
        <StoreBanner file={damaged} onClose={() => onStoreTold(damaged)} />
      )}
      {secrets.state !== 'ready' && <KeychainBanner secrets={secrets} shell={shell} />}
      {snapshot.connectors.flatMap((connector) =>
        connector.questions.map((question) => (
          <QuestionBanner key={question.authSessionId} connector={connector} question={question} />
        )),
      )}
      {/* Rows of Accounts say themselves that there is no network. */}
      {!shell.online && view !== 'accounts' && <OfflineBanner />}
      {paused && <PausedBanner />}
      {!paused && !portTaken && view !== 'agent' && <NoAgentBanner snapshot={snapshot} />}
      {setUpElsewhere && <OnboardingBanner {...onboarding} />}
    </>
  );
}
