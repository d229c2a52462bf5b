import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.js';
import { BridgeContext } from './bridge/index.js';
import { openBridge } from './bridge/open-bridge.js';
import './theme/tokens.css';
import './theme/base.css';
import './theme/shell.css';
import './theme/controls.css';
import './theme/panels.css';
import './theme/tables.css';
import './theme/floating.css';
import './views/accounts/accounts.css';
import './views/connect/connect.css';
import './views/messages/messages.css';
import './views/chat/chat.css';
import './views/agent/agent.css';
import './views/settings/settings.css';
import './views/diagnostics/diagnostics.css';
import './views/onboarding/onboarding.css';
import './theme/forced-colors.css';

const place = document.getElementById('root');
if (place === null) throw new Error('the page has no place for the window');

createRoot(place).render(
  <StrictMode>
    <BridgeContext value={openBridge()}>
      <App />
    </BridgeContext>
  </StrictMode>,
);
