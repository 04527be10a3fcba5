import { checkOptions, wellFormedText } from '../lib/options.ts'
import { BEARER, type ManagementApi, type Renewal, type Texts } from './api.ts'

/** A calendar of Google Calendar. */
export interface GoogleCalendar {
  /** Its ID, or `primary`. */
  readonly calendar: string
}

/** A file of Google Drive. */
export interface GoogleDriveFile {
  /** Its ID. */
  readonly file: string
}

/** The changes of a user's Google Drive. */
export interface GoogleDriveChanges {
  /** The token from `changes.getStartPageToken`, or from the last page that you have read. */
  readonly pageToken: string
}

/**
 * Google's API for a channel that watches the events of a calendar, for `renew`: a channel ends after a week, and can be neither listed nor
 * made to last longer, so that `renew` watches again, lets you keep the new channel, and stops the old one.
 *
 * The token: of OAuth 2.0, of the user whose channel it is, with `calendar.events.readonly`.
 *
 * @example
 * ```ts
 * import { readFileSync, writeFileSync } from 'node:fs'
 *
 * const api = googleCalendarApi({ calendar: 'primary' })
 * const kept: Channel = JSON.parse(readFileSync('channel.json', 'utf8'))
 * const keep = (channel: Channel) => writeFileSync('channel.json', JSON.stringify(channel), { mode: 0o600 })
 * await renew({ api, token, url, run: true, channel: { kept, secret: process.env.GOOGLE_CHANNEL_TOKEN ?? '', keep } })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function googleCalendarApi(of: GoogleCalendar): ManagementApi {
  checkOptions('googleCalendarApi', of, { calendar: wellFormedText })
  // https://developers.google.com/workspace/calendar/api/v3/reference/events/watch, 2026-11-30
  return channelApi(
    { watch: '/calendar/v3/calendars/{calendar}/events/watch', stop: '/calendar/v3/channels/stop' },
    {
      parameters: { calendar: of.calendar },
      minutes: 10_080,
      reads: 'calendar.events.readonly',
    },
  )
}

/**
 * The same for a file of Google Drive, whose channel ends after a day. The token: with `drive.readonly` or `drive.file`.
 *
 * @example
 * ```ts
 * const api = googleDriveFileApi({ file: '1a2b3c' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function googleDriveFileApi(of: GoogleDriveFile): ManagementApi {
  checkOptions('googleDriveFileApi', of, { file: wellFormedText })
  return channelApi(
    { watch: '/drive/v3/files/{file}/watch', stop: '/drive/v3/channels/stop' },
    { parameters: { file: of.file }, minutes: 1440, reads: 'drive.readonly or drive.file' },
  )
}

/**
 * The same for the changes of a Google Drive, whose channel ends after a week. Keep its `resourceUri`, too, by which `renew` knows what it
 * watches. The token: with `drive.readonly` or `drive.file`.
 *
 * @example
 * ```ts
 * const api = googleDriveChangesApi({ pageToken: '4711' })
 * ```
 *
 * @throws ListenerConfigError for a missing, unknown or invalid option.
 */
export function googleDriveChangesApi(of: GoogleDriveChanges): ManagementApi {
  checkOptions('googleDriveChangesApi', of, { pageToken: wellFormedText })
  return channelApi(
    { watch: '/drive/v3/changes/watch?pageToken={pageToken}', stop: '/drive/v3/channels/stop' },
    {
      parameters: { pageToken: of.pageToken },
      minutes: 10_080,
      reads: 'drive.readonly or drive.file',
      watches: { at: '/resourceUri', without: 'pageToken' }, // a resource ID depends on its page token
    },
  )
}

/** How long channels last: https://developers.google.com/workspace/drive/api/guides/push and …/calendar/api/guides/push, 2026-11-30. */
function channelApi(
  paths: { readonly watch: string; readonly stop: string },
  {
    parameters,
    minutes,
    reads,
    watches = { at: '/resourceId' },
  }: {
    readonly parameters: Texts
    readonly minutes: number
    readonly reads: string
    readonly watches?: NonNullable<Renewal['replaces']>['watches']
  },
): ManagementApi {
  return {
    scheme: 'google-channels',
    sender: 'Google',
    baseUrl: 'https://www.googleapis.com',
    parameters,
    headers: {},
    token: { ...BEARER, reads: `the scope ${reads} of OAuth 2.0` },
    endpoints: {
      path: paths.watch,
      query: {},
      items: '',
      id: '/id',
      url: '',
      types: '',
      should: [],
      unlisted: true,
    },
    renewal: {
      expires: '/expiration',
      renewed: '/expiration',
      call: {
        method: 'POST',
        acts: true,
        path: paths.watch,
        body: {
          id: '{next}',
          type: 'web_hook',
          address: '{url}',
          token: '{secret}',
          expiration: '{untilMs:number}',
        },
      },
      lives: [{ fits: {}, minutes }],
      replaces: {
        stop: {
          method: 'POST',
          acts: true,
          path: paths.stop,
          body: { id: '{hook}', resourceId: '{resource}' },
        },
        resource: '/resourceId',
        watches,
      },
    },
  }
}
