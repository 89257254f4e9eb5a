// The states of NFS clients, as the console names them.
import type { Client } from '../api/types'

export const clientStates: Record<Client['state'], { look: string; name: string; text: string }> = {
  unconfirmed: { look: '', name: 'Connecting', text: 'The client has no session yet.' },
  reclaiming: { look: 'warn', name: 'Reclaiming', text: 'After a restart of the daemon, the client is reclaiming its open files and locks.' },
  confirmed: { look: 'good', name: 'Connected', text: 'The client has a valid lease.' },
  courteous: { look: 'warn', name: 'Lease expired', text: 'The client is silent. It keeps its state until another client needs it.' },
  leaving: { look: 'bad', name: 'Leaving', text: 'The state of the client is being revoked.' },
}

export const tlsWords: Record<Client['tls'], string> = { off: 'no', partly: 'partly', on: 'yes', mutual: 'with certificate' }
