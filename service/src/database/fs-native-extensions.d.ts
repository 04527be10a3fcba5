declare module 'fs-native-extensions' {
  /** Locks a part of a file that is open for writing, until it is closed or the process ends. False: another has it. */
  export function tryLock(fd: number, offset: number, length: number): boolean
}
