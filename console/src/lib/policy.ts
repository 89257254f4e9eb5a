// Rules of an export policy, in the form in which the console edits them.
import type { Access, NewRule, Rule } from '../api/types'

export const ACCESS = [['rw', 'read and write'], ['ro', 'read only'], ['none', 'none']] as const
export const SQUASH = [['none', 'none'], ['root', 'root'], ['all', 'all users']] as const
export const TLS = [['off', 'not allowed'], ['optional', 'optional'], ['required', 'required'], ['mutual', 'required, with client certificate']] as const
export const GROUPS = [['client', 'client (at most 16 groups)'], ['server', 'server']] as const

/** A rule without the fields that only the API sets. */
export function plain(rule: Rule): Required<Omit<NewRule, 'security'>> {
  const { clients, access, squash, anonymous_uid, anonymous_gid, tls, groups } = rule
  return { clients, access, squash, anonymous_uid, anonymous_gid, tls, groups }
}

export type Draft = ReturnType<typeof plain>

export function fresh(): Draft {
  return { clients: '', access: 'rw', squash: 'none', anonymous_uid: 65534, anonymous_gid: 65534, tls: 'optional', groups: 'client' }
}

/** Says which access a client has to a volume, and by which rule. */
export function accessInWords(found: Access): string {
  const { client, volume, policy, rule, position } = found
  if (!rule) return `${client} does not see volume ${volume}: no rule of policy ${policy} matches it.`
  const may = { rw: 'can read and write', ro: 'can only read', none: 'does not see' }[rule.access]
  const squash = rule.squash === 'none' ? 'no squash' : `squash ${rule.squash} → ${rule.anonymous_uid}:${rule.anonymous_gid}`
  return `${client} ${may} volume ${volume}, by rule ${position} for ${rule.clients} (${squash}; TLS ${TLS.find(([one]) => one === rule.tls)?.[1] ?? rule.tls}).`
}

/** Returns the rules with one of them moved up or down. */
export function moved<T>(rules: T[], from: number, by: -1 | 1): T[] {
  const next = [...rules]
  const [one] = next.splice(from, 1)
  if (one !== undefined) next.splice(Math.max(0, from + by), 0, one)
  return next
}

/** Returns what is wrong with the clients of a rule, or null. The daemon checks more strictly. */
export function clientsProblem(clients: string, others: string[]): string | null {
  if (clients.trim() === '') return 'Enter “*”, an address, a network such as 10.0.0.0/8, or a host name.'
  if (/\s/.test(clients.trim())) return 'Each rule is for only one of these.'
  return others.includes(clients.trim()) ? 'Another rule already covers these clients.' : null
}
