/** Of projects and groups, as https://docs.gitlab.com/api/group_webhooks has them too. */
const GITLAB = {
  source:
    'https://github.com/gitlabhq/gitlabhq: lib/api/entities/hook.rb, project_hook.rb and web_hook_log.rb, 2026-11-29',
  endpoint: [
    ...['id', 'url', 'name', 'description', 'created_at', 'push_events', 'tag_push_events'],
    ...['merge_requests_events', 'repository_update_events', 'enable_ssl_verification', 'alert_status'],
    ...['disabled_until', 'url_variables', 'push_events_branch_filter', 'branch_filter_strategy'],
    ...['custom_webhook_template', 'custom_headers', 'project_id', 'issues_events'],
    ...['confidential_issues_events', 'note_events', 'confidential_note_events', 'pipeline_events'],
    ...['wiki_page_events', 'deployment_events', 'feature_flag_events', 'job_events', 'releases_events'],
    ...['milestone_events', 'emoji_events', 'resource_access_token_events', 'vulnerability_events'],
    ...['subgroup_events', 'project_events', 'member_events', 'token_present', 'signing_token_present'],
  ],
  event: [
    ...['id', 'url', 'trigger', 'request_headers', 'request_data', 'response_headers', 'response_body'],
    ...['execution_duration', 'response_status', 'created_at'],
  ],
}

/**
 * The members that the senders publish of an endpoint and of an event: what a row reads, and what a fake answers, is among them. Facts of
 * their descriptions, with where and when they were read.
 */
export const FACTS: {
  readonly [sender: string]: {
    readonly source: string
    readonly endpoint: readonly string[]
    readonly event?: readonly string[]
  }
} = {
  Svix: {
    // EndpointOut and EndpointMessageOut
    source:
      'https://github.com/svix/svix-webhooks/blob/4fc0cfb8b426c87ef7e2b937e7d896a71d456a47/codegen/lib-openapi.json, 2026-11-29',
    endpoint: [
      ...[
        'id',
        'metadata',
        'url',
        'description',
        'throttleRate',
        'uid',
        'disabled',
        'eventTypes',
        'channels',
      ],
      ...['createdAt', 'updatedAt'],
    ],
    event: [
      ...[
        'status',
        'statusText',
        'nextAttempt',
        'eventId',
        'eventType',
        'payload',
        'channels',
        'id',
        'timestamp',
      ],
      ...['tags', 'deliverAt'],
    ],
  },
  Resend: {
    source:
      'https://github.com/resend/resend-openapi/blob/fd6f395f2114e13806025f0c330921c901d62bb1/resend.yaml and https://resend.com/docs/api-reference/webhooks/get-event, 2026-11-29',
    endpoint: ['id', 'endpoint', 'events', 'status', 'created_at'],
    event: ['object', 'id', 'type', 'created_at', 'status', 'next_attempt_at', 'payload'],
  },
  Paddle: {
    source:
      'https://github.com/PaddleHQ/paddle-node-sdk/tree/b8ee4b12741d88abe5a33f5c8a74735c9ac3653f/src/types: notification-settings and notifications, 2026-11-29',
    endpoint: [
      ...['id', 'description', 'type', 'destination', 'active', 'api_version', 'include_sensitive_fields'],
      ...['traffic_source', 'subscribed_events', 'endpoint_secret_key'],
    ],
    event: [
      ...['id', 'type', 'status', 'payload', 'occurred_at', 'delivered_at', 'replayed_at', 'origin'],
      ...['last_attempt_at', 'retry_at', 'times_attempted', 'notification_setting_id'],
    ],
  },
  Square: {
    source:
      'https://github.com/square/square-nodejs-sdk/tree/c58c6e097af6717e5c728712f79f89f6cd9da12f/src/serialization/types: WebhookSubscription and Event, 2026-11-29',
    endpoint: [
      ...['id', 'name', 'enabled', 'event_types', 'notification_url', 'api_version', 'signature_key'],
      ...['created_at', 'updated_at'],
    ],
    event: ['merchant_id', 'location_id', 'type', 'event_id', 'created_at', 'data'],
  },
  GitLab: GITLAB,
  'GitLab, of a group, signed': GITLAB,
  Shopify: {
    source: 'https://shopify.dev/docs/api/admin-graphql/latest/objects/WebhookSubscription, 2026-11-29',
    endpoint: [
      ...['apiVersion', 'createdAt', 'filter', 'format', 'id', 'includeFields', 'legacyResourceId'],
      ...['metafieldNamespaces', 'metafields', 'topic', 'updatedAt', 'uri'],
    ],
  },
  Linear: {
    source: 'https://docs.rs/lineark-sdk/3.0.2/lineark_sdk/generated/types/struct.Webhook.html, 2026-11-29',
    endpoint: [
      ...['id', 'createdAt', 'updatedAt', 'archivedAt', 'label', 'url', 'enabled', 'team', 'teamIds'],
      ...['allPublicTeams', 'creator', 'secret', 'resourceTypes', 'failures'],
    ],
  },
  Adyen: {
    source:
      'https://github.com/Adyen/adyen-openapi/blob/aa014f0cbdb58ff5c44a2ff9d5fe734642210aff/json/ManagementService-v3.json: Webhook, 2026-11-29',
    endpoint: [
      ...[
        '_links',
        'acceptsExpiredCertificate',
        'acceptsSelfSignedCertificate',
        'accountReference',
        'active',
      ],
      ...['acceptsUntrustedRootCertificate', 'additionalSettings', 'certificateAlias', 'communicationFormat'],
      ...['description', 'encryptionProtocol', 'filterMerchantAccountType', 'filterMerchantAccounts'],
      ...['hasError', 'hasPassword', 'hmacKeyCheckValue', 'id', 'networkType', 'populateSoapActionHeader'],
      ...['type', 'url', 'username'],
    ],
  },
  SendGrid: {
    source:
      'https://github.com/twilio/sendgrid-oai/blob/dbe0e0d2e67a0c3c55b222d54df2acda2b9027a7/spec/json/tsg_webhooks_v3.json: EventWebhookSignedResponse, 2026-11-29',
    endpoint: [
      ...['enabled', 'url', 'account_status_change', 'group_resubscribe', 'delivered', 'group_unsubscribe'],
      ...['spam_report', 'bounce', 'deferred', 'unsubscribe', 'processed', 'open', 'click', 'dropped'],
      ...['friendly_name', 'id', 'created_date', 'updated_date', 'oauth_client_id', 'oauth_token_url'],
      'public_key',
    ],
  },
  Jira: {
    source: 'https://developer.atlassian.com/cloud/jira/platform/webhooks, 2026-11-29',
    endpoint: ['name', 'url', 'events', 'filters', 'enabled', 'excludeBody', 'self', 'lastUpdated'],
  },
}
