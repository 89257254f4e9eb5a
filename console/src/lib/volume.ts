// Converts between a volume of the API and the fields of a form.
import type { NewVolume, Volume, VolumeEdit } from '../api/types'
import { bytes } from './format'
import { optionalBytes, writeBytes } from './quantity'
import * as rules from './rules'

/** All fields as text, as inputs need them. */
export interface VolumeFields {
  name: string
  path: string
  size: string
  limit: string
  uid: string
  gid: string
  mode: string
  compression: string
  exported: string
  hourly: string
  daily: string
  weekly: string
  labels: string
  preserve: boolean
}

/** A text input of the form. */
export interface Input {
  key: Exclude<keyof VolumeFields, 'preserve'>
  label: string
  mono?: boolean
  placeholder?: string
  hint?: string
}

/** A selection of the form. */
export interface Selection {
  key: 'exported' | 'compression'
  label: string
  options: (readonly [string, string])[]
  hint: string
}

/** The main inputs of the form for an existing volume, or for a new one. */
export function inputsOf(volume: Volume | null, name: string): Input[] {
  const isNew = volume === null
  return [
    ...(isNew ? [{ key: 'name', label: 'Name', mono: true, placeholder: 'kafka-1' } as const] : []),
    { key: 'path', label: 'Mount path', mono: true, placeholder: `/${name}`, hint: isNew ? 'Default: “/” and the name.' : 'Existing mounts are not affected.' },
    { key: 'size', label: 'Size', placeholder: 'no limit', hint: isNew ? 'For example, 500 GiB.' : `Currently used: ${bytes(volume.bytes_logical)}.` },
    { key: 'limit', label: 'Throughput limit', placeholder: 'no limit', hint: 'For example, 200 MiB/s.' },
    { key: 'labels', label: 'Labels', placeholder: 'none', hint: 'For example, owner=team-a, cost-centre=4711.' },
  ]
}

/** The selections of the form. */
export function selectionsOf(policies: string[]): Selection[] {
  return [
    { key: 'exported', label: 'Export policy', options: policies.map((name) => [name, name] as const), hint: 'Controls which clients have access.' },
    { key: 'compression', label: 'Compression', options: [['lz4', 'lz4'], ['zstd', 'zstd'], ['none', 'none']], hint: 'Applies to new writes only.' },
  ]
}

/** Inputs that belong together, each group with its heading. */
export const GROUPS: { legend: string; inputs: Input[] }[] = [
  {
    legend: 'Root directory',
    inputs: [
      { key: 'uid', label: 'Owner (uid)' },
      { key: 'gid', label: 'Group (gid)' },
      { key: 'mode', label: 'Permissions', mono: true },
    ],
  },
  {
    legend: 'Scheduled snapshots: number to keep',
    inputs: [
      { key: 'hourly', label: 'Hourly' },
      { key: 'daily', label: 'Daily' },
      { key: 'weekly', label: 'Weekly' },
    ],
  },
]

/** The check boxes of the form. */
export const FLAGS: { key: 'preserve'; label: string }[] = [
  { key: 'preserve', label: 'Open files survive deletion, without “silly renames” (required for Kafka)' },
]

export function fieldsOf(volume: Volume | null): VolumeFields {
  return {
    name: volume?.name ?? '',
    path: volume?.path ?? '',
    size: writeBytes(volume?.size),
    limit: writeBytes(volume?.max_bytes_per_second),
    uid: String(volume?.uid ?? 0),
    gid: String(volume?.gid ?? 0),
    mode: volume?.mode ?? '0755',
    compression: volume?.compression ?? 'lz4',
    exported: volume?.export ?? 'default',
    hourly: String(volume?.snapshots.hourly ?? 0),
    daily: String(volume?.snapshots.daily ?? 0),
    weekly: String(volume?.snapshots.weekly ?? 0),
    labels: labelsOf(volume?.labels ?? {}),
    preserve: volume?.preserve_unlink ?? true,
  }
}

/** Returns what is wrong with each field, or null. */
export function problemsOf(fields: VolumeFields, isNew: boolean): Partial<Record<keyof VolumeFields, string | null>> {
  return {
    name: isNew ? rules.name(fields.name) : null,
    path: rules.path(fields.path, isNew),
    size: rules.size(fields.size),
    limit: rules.limit(fields.limit),
    uid: rules.whole(fields.uid),
    gid: rules.whole(fields.gid),
    mode: rules.mode(fields.mode),
    hourly: rules.whole(fields.hourly),
    daily: rules.whole(fields.daily),
    weekly: rules.whole(fields.weekly),
    labels: parseLabels(fields.labels) === null ? 'Enter KEY=VALUE, separated by commas. Keys have letters, digits, “_”, “.”, “-” and “/”.' : null,
  }
}

export function newVolume(fields: VolumeFields): NewVolume {
  return {
    name: fields.name,
    ...(fields.path ? { path: fields.path } : {}),
    size: optionalBytes(fields.size) ?? null,
    max_bytes_per_second: optionalBytes(fields.limit) ?? null,
    uid: Number(fields.uid),
    gid: Number(fields.gid),
    mode: fields.mode,
    compression: compressionOf(fields),
    snapshots: plan(fields),
    export: fields.exported,
    preserve_unlink: fields.preserve,
    labels: parseLabels(fields.labels) ?? {},
  }
}

/** Returns only the fields that were edited, because another user may have changed the others in the meantime. */
export function changes(fields: VolumeFields, was: VolumeFields): VolumeEdit {
  const edit: VolumeEdit = {}
  if (fields.path !== was.path) edit.path = fields.path
  if (fields.size !== was.size) edit.size = optionalBytes(fields.size) ?? null
  if (fields.limit !== was.limit) edit.max_bytes_per_second = optionalBytes(fields.limit) ?? null
  if (fields.uid !== was.uid) edit.uid = Number(fields.uid)
  if (fields.gid !== was.gid) edit.gid = Number(fields.gid)
  if (fields.mode !== was.mode) edit.mode = fields.mode
  if (fields.compression !== was.compression) edit.compression = compressionOf(fields)
  if (fields.exported !== was.exported) edit.export = fields.exported
  if (fields.preserve !== was.preserve) edit.preserve_unlink = fields.preserve
  if (fields.labels !== was.labels) edit.labels = parseLabels(fields.labels) ?? {}
  if (fields.hourly !== was.hourly || fields.daily !== was.daily || fields.weekly !== was.weekly) edit.snapshots = plan(fields)
  return edit
}

/** Returns the settings that the page of a volume shows as plain text, each with its label. */
export function settingsOf(volume: Volume): [label: string, text: string][] {
  const { hourly, daily, weekly } = volume.snapshots
  return [
    ['Compression', volume.compression],
    ['Scheduled snapshots', `${hourly} hourly, ${daily} daily, ${weekly} weekly`],
    ['Open files survive deletion', volume.preserve_unlink ? 'yes' : 'no; clients rename them to .nfs…'],
    ['Labels', labelsOf(volume.labels ?? {}) || 'none'],
  ]
}

/** Labels as text: `cost-centre=4711, owner=team-a`. */
export const labelsOf = (labels: Record<string, string>) => Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(', ')

/** Labels from text, or null if it is not `KEY=VALUE`, separated by commas. */
export function parseLabels(text: string): Record<string, string> | null {
  const labels: Record<string, string> = {}
  for (const part of text.split(',').map((one) => one.trim()).filter((one) => one !== '')) {
    const found = /^([A-Za-z0-9_./-]{1,64})=([^=]{0,64})$/.exec(part)
    if (!found?.[1]) return null
    labels[found[1]] = found[2] ?? ''
  }
  return labels
}

const plan = (fields: VolumeFields) => ({ hourly: Number(fields.hourly), daily: Number(fields.daily), weekly: Number(fields.weekly) })

// The form offers no other values.
const compressionOf = (fields: VolumeFields) => fields.compression as Volume['compression']
