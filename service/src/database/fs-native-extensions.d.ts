declare module 'fs-native-extensions' {
  /** Locks a range of an open file until it is closed or the process ends. False if another process holds the lock. */
  export function tryLock(fd: number, offset: number, length: number): boolean
}
