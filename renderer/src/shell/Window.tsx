import { type ReactNode, useState } from 'react';
import { FaultBoundary } from '../components/FaultBoundary.js';
import { LiveRegion } from '../components/LiveRegion.js';
import { Toasts } from '../components/Toasts.js';
import { Onboarding } from '../views/onboarding/Onboarding.js';
import { useOnboarding } from '../views/onboarding/use-onboarding.js';
import { VIEWS } from '../views/registry.js';
import { BannerContext } from '../components/banner-context.js';
import { AccountNews } from './AccountNews.js';
import { Banners } from './Banners.js';
import { isStart, parseRoute, useHash } from './route.js';
import { SideBar } from './SideBar.js';
import { useFocusHeading } from './use-focus-heading.js';
import { useKeepFocus } from './use-keep-focus.js';
import { useKeys } from './use-keys.js';
import { ViewFault } from './ViewFault.js';

/** The window and all that is said in passing in it. */
export function Window(): ReactNode {
  return (
    <LiveRegion>
      <Toasts>
        <Frame />
        <AccountNews />
      </Toasts>
    </LiveRegion>
  );
}

/** The frame around every view, or the first start until it is done. */
function Frame(): ReactNode {
  const hash = useHash();
  const { view, path } = parseRoute(hash);
  useKeys();
  useFocusHeading(hash);
  useKeepFocus();
  const onboarding = useOnboarding();
  const { step, goTo } = onboarding;
  // Not in the banner itself, which every view has one of.
  const [storeTold, setStoreTold] = useState<string>();
  const View = VIEWS[view];
  return (
    <BannerContext
      value={<Banners view={view} onboarding={onboarding} storeTold={storeTold} onStoreTold={setStoreTold} />}
    >
      {step !== 'done' && isStart(hash) ? (
        <Onboarding step={step} goTo={goTo} />
      ) : (
        <div className="win">
          <SideBar view={view} />
          <main className="main">
            <FaultBoundary key={view} fallback={<ViewFault view={view} />}>
              <View path={path} />
            </FaultBoundary>
          </main>
        </div>
      )}
    </BannerContext>
  );
}
