// Rules of an export policy as they are edited.
import type { NewRule, Rule } from '../api/types'

export const ACCESS = [['rw', 'read and write'], ['ro', 'only read'], ['none', 'nothing']] as const
export const SQUASH = [['none', 'nobody'], ['root', 'root'], ['all', 'everyone']] as const
export const TLS = [['off', 'must not be used'], ['optional', 'optional'], ['required', 'required'], ['mutual', 'with certificate']] as const
export const GROUPS = [['client', 'the client (16)'], ['server', 'the server']] as const

/** A rule as the API takes it, without what only it knows. */
export function plain(rule: Rule): Required<Omit<NewRule, 'security'>> {
  const { clients, access, squash, anonymous_uid, anonymous_gid, tls, groups } = rule
  return { clients, access, squash, anonymous_uid, anonymous_gid, tls, groups }
}

export type Draft = ReturnType<typeof plain>

export function fresh(): Draft {
  return { clients: '', access: 'rw', squash: 'none', anonymous_uid: 65534, anonymous_gid: 65534, tls: 'optional', groups: 'client' }
}

/** The rules with one moved up or down. */
export function moved<T>(rules: T[], from: number, by: -1 | 1): T[] {
  const next = [...rules]
  const [one] = next.splice(from, 1)
  if (one !== undefined) next.splice(Math.max(0, from + by), 0, one)
  return next
}

/** What is wrong with the clients of a rule, or null. The daemon looks closer. */
export function clientsProblem(clients: string, others: string[]): string | null {
  if (clients.trim() === '') return '“*”, an address, a network such as 10.0.0.0/8, or a host name.'
  if (/\s/.test(clients.trim())) return 'One of them for each rule.'
  return others.includes(clients.trim()) ? 'There is a rule for these clients already.' : null
}
