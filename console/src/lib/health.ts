// The state that the console shows. The daemon decides which alerts fire; the console only adds whether the daemon answers.
import type { Alert, AlertSeverity, Pool, Status } from '../api/types'
import { several } from './format'

/** Older data is not data of now. The console asks every five seconds. */
export const STALE_SECONDS = 15

/** `silent`: the daemon does not answer. `waiting`: no answer yet. `starting`: it has not evaluated its rules. */
export type State = 'silent' | 'waiting' | 'starting' | 'ok' | 'warning' | 'critical'

/** The state to show, from the last answer, whether the last request failed, and the age of the answer in seconds. */
export function stateOf(status: Status | undefined, failed: boolean, age: number | null): State {
  if (failed) return 'silent'
  if (status === undefined || age === null) return 'waiting'
  if (age > STALE_SECONDS) return 'silent'
  if (status.status === 'ok' && status.evaluated == null) return 'starting'
  return status.status
}

/** Whether what the pages show may be wrong by now. */
export const isStale = (state: State) => state === 'silent'

/** The headline for a state. */
export function headline(state: State, alerts: readonly Alert[]): string {
  const count = (severity: AlertSeverity) => alerts.filter((one) => one.severity === severity && !one.silenced).length
  switch (state) {
    case 'silent':
      return 'The daemon does not answer'
    case 'waiting':
      return 'Loading…'
    case 'starting':
      return 'Starting'
    case 'ok':
      return 'Healthy'
    case 'warning':
      return several(count('warning'), 'warning')
    case 'critical': {
      const warnings = count('warning')
      return several(count('critical'), 'critical alert') + (warnings > 0 ? `, ${several(warnings, 'warning')}` : '')
    }
  }
}

export const looks: Record<State, string> = { silent: 'bad', waiting: 'muted', starting: 'muted', ok: 'good', warning: 'warn', critical: 'bad' }
export const severityLooks: Record<AlertSeverity, string> = { info: '', warning: 'warn', critical: 'bad' }

/** The page of the object that an alert is about, if there is one. */
export function pageOf(alert: Alert): [path: string, name: string] | null {
  const [kind, ...rest] = alert.object.split(' ')
  const name = rest.join(' ')
  if (kind === 'volume' && name) return [`/volumes/${encodeURIComponent(name)}`, 'Volume']
  if (kind === 'bucket' && name) return [`/buckets/${encodeURIComponent(name)}`, 'Bucket']
  if (kind === 'client' && alert.name === 'ForebayClientsRefused') return ['/exports', 'Export policies']
  if (kind === 'client' || (kind === 'NFS' && !name)) return ['/clients', 'NFS clients']
  if (kind === 'pool') return ['/pool', 'Pool']
  return null
}

/** Text with commands in backticks, as parts. */
export function withCommands(text: string): { text: string; isCommand: boolean }[] {
  const parts = text.split('`').map((part, index) => ({ text: part, isCommand: index % 2 === 1 }))
  return parts.filter((part) => part.text !== '')
}

/** The space on disk that the data in files takes. */
export const physical = (pool: Pool) => pool.bytes_live + pool.bytes_inline
