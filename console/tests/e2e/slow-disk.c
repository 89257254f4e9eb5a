// Makes syncs of files slow while the file that SLOW_DISK names exists. The tests build it and load it into the daemon with LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void be_slow(void) {
  const char *flag = getenv("SLOW_DISK");
  const struct timespec pause = {0, 700 * 1000 * 1000};
  if (flag && access(flag, F_OK) == 0) nanosleep(&pause, 0);
}

int fdatasync(int file) {
  be_slow();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}

int fsync(int file) {
  be_slow();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}
