import { type ReactNode } from 'react';
import { useShellFacts } from '../bridge/index.js';
import { FaultBoundary } from '../components/FaultBoundary.js';
import { LiveRegion } from '../components/LiveRegion.js';
import { Toasts } from '../components/Toasts.js';
import { Onboarding } from '../views/onboarding/Onboarding.js';
import { VIEWS } from '../views/registry.js';
import { BannerContext } from '../components/banner-context.js';
import { AccountNews } from './AccountNews.js';
import { Banners } from './Banners.js';
import { isStart, parseRoute, useHash } from './route.js';
import { SideBar } from './SideBar.js';
import { useFocusHeading } from './use-focus-heading.js';
import { useKeys } from './use-keys.js';
import { ViewFault } from './ViewFault.js';

/** The frame around every view. */
export function Window(): ReactNode {
  const hash = useHash();
  const { view, path } = parseRoute(hash);
  useKeys();
  useFocusHeading(hash);
  const { onboarding } = useShellFacts().preferences;
  const View = VIEWS[view];
  return (
    <LiveRegion>
      <Toasts>
        <BannerContext value={<Banners view={view} />}>
          {onboarding !== 'done' && isStart(hash) ? (
            <Onboarding />
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
        <AccountNews />
      </Toasts>
    </LiveRegion>
  );
}
