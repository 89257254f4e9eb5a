// Converts between a volume of the API and the fields of a form.
import type { NewVolume, Volume, VolumeEdit } from '../api/types'
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
  compression: 'none' | 'lz4' | 'zstd'
  exported: string
  hourly: string
  daily: string
  weekly: string
  preserve: boolean
}

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
    preserve: volume?.preserve_unlink ?? true,
  }
}

/** Returns what is wrong with each field, or null. */
export function problemsOf(fields: VolumeFields, isNew: boolean) {
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
    compression: fields.compression,
    snapshots: plan(fields),
    export: fields.exported,
    preserve_unlink: fields.preserve,
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
  if (fields.compression !== was.compression) edit.compression = fields.compression
  if (fields.exported !== was.exported) edit.export = fields.exported
  if (fields.preserve !== was.preserve) edit.preserve_unlink = fields.preserve
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
  ]
}

const plan = (fields: VolumeFields) => ({ hourly: Number(fields.hourly), daily: Number(fields.daily), weekly: Number(fields.weekly) })
