import type { PhraseList } from '../phrase.js';

/** The first start. */
export const onboarding = {
  'onboarding.step': 'Step {step} of {n}',
  'onboarding.continue': 'Continue',
  'onboarding.back': 'Back',
  'onboarding.skip': 'Skip set-up',
  'onboarding.tray.title': 'It lives up here',
  'onboarding.tray.title_bottom': 'It lives by the clock',
  'onboarding.tray.title_none': 'Your desktop has no tray',
  'onboarding.tray.title_browser': 'It works without this page',
  'onboarding.tray.lead':
    'Close this window any time: the Connector keeps working from the tray. Some systems tuck new icons behind an arrow; drag it out once and it stays.',
  'onboarding.tray.lead_none':
    'So closing this window only minimises it, and the Connector keeps working. Opening the app again always brings it back.',
  'onboarding.tray.lead_browser':
    'Close this page any time: the Connector keeps working where it was started, until it is stopped there.',
  'onboarding.tray.link': 'For a fresh link back to this page, run this on that computer:',
  'onboarding.tray.gnome': 'GNOME shows tray icons with an extension',
  'onboarding.tray.gnome_text': 'Install “AppIndicator” if you would like one. Nothing else changes.',
  'onboarding.tray.picture': 'A screen’s top bar with the Connector icon among others, and its menu below',
  'onboarding.tray.picture_bottom':
    'A screen’s bottom bar with the Connector icon next to the clock, and its menu above',
  'onboarding.account.title': 'Connect a chat',
  'onboarding.account.lead':
    'Pick the one you already use. What you write there reaches your agent, and only you can write.',
  'onboarding.account.how.wechat': 'Scan with your phone',
  'onboarding.account.how.telegram': 'Paste a bot token',
  'onboarding.account.how.feishu': 'Scan to create an app',
  'onboarding.account.how.xmpp': 'Sign in to any server',
  'onboarding.account.how.other': 'Sign in',
  'onboarding.account.local_instead': 'Or go on without one: the local chat in this window needs no sign-in.',
  'onboarding.banner.title': 'Set-up, step {step} of {n}',
  'onboarding.banner.skip': 'Skip set-up',
  'onboarding.account.connected': 'Connected: {name}',
  'onboarding.agent.title': 'Tell your agent where to connect',
  'onboarding.agent.lead': 'Paste these into its Connector settings. This page tells you when it says hello.',
  'onboarding.agent.url': 'Base URL',
  'onboarding.agent.key': 'API key',
  'onboarding.agent.copy_url': 'Copy base URL',
  'onboarding.agent.copy_key': 'Copy API key',
  'onboarding.agent.waiting': 'Waiting for your agent…',
  'onboarding.agent.here': '{name} is connected.',
  'onboarding.agent.rehearse': 'Rehearse without one',
  'onboarding.agent.rehearsing': 'Rehearsing, step {step} of {n}…',
  'onboarding.agent.rehearsed': 'Rehearsal passed, all {n} steps. Ready for your agent.',
  'onboarding.agent.rehearsal_failed': 'The rehearsal stopped at step {step}.',
  'onboarding.agent.see_why': 'See why',
  'onboarding.agent.try_it': 'Say something to it',
} as const satisfies PhraseList;
