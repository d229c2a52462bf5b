import { type DESCRIPTOR_SCHEMA } from './version.js';

/** `connection.status` of section 9. */
export type ConnectionStatus =
  'created' | 'authenticating' | 'connected' | 'degraded' | 'offline' | 'expired' | 'revoked' | 'error';

export type ToolStatus = 'available' | 'unavailable' | 'denied_by_target' | 'requires_reauth' | 'not_supported';
export type ToolPermission = 'unknown' | 'granted' | 'denied' | 'requires_reauth';

/** Connection Descriptor v2, section 9. */
export interface ConnectionDescriptor {
  schema: typeof DESCRIPTOR_SCHEMA;
  connection: {
    connector_card_id: string;
    connector_id: string;
    connector_channel_id: string;
    target_type: 'im';
    profiles: string[];
    status: ConnectionStatus;
  };
  target: { provider: string; label: string; display_name: string; account_hint?: string };
  tools: { tool_id: string; status: ToolStatus; target_permission_state: ToolPermission; reason?: string }[];
}

/** `auth.*.ack` status values, sections 8.8 and 8.10. */
export type AuthStatus =
  'pending' | 'scanned' | 'authenticated' | 'unauthenticated' | 'expired' | 'qr_refresh_required' | 'failed';

/** What `auth.start.ack` and `auth.status.ack` carry. */
export interface AuthAckPayload {
  connector_channel_id: string;
  flow_id?: string;
  auth_session_id?: string;
  status: AuthStatus;
  qr_code_text?: string;
  qr_code_image?: string;
  expires_at?: number;
  poll_interval_millis?: number;
  message?: string;
  input_required?: string[];
  connection_descriptor?: ConnectionDescriptor;
}
