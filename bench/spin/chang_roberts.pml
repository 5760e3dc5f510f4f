/*
 * chang_roberts.pml - the election of protocols/election/chang_roberts/chang_roberts.c, for Spin.
 *
 * The same model as `fulcrum check chang-roberts -n N --names asc`: everybody
 * starts by itself before it reads anything, a message is read and passed on in
 * one step, links are queues.  A node's variables are those of the C struct, so
 * that both count the same states; what a node does not need any more is not
 * cleared in either.  Processes never end, for that would be transitions of
 * Spin's own.
 */
#ifndef N
#define N 12
#endif

#define TOKEN   1
#define ELECTED 2

#define RELAY     1
#define CANDIDATE 2
#define LOST      3
#define LEADER    4

/* A link holds at most one token of each, and the announcement. */
chan link[N] = [N + 1] of { byte, byte };

active [N] proctype node()
{
    byte least;
    byte status;
    bit told;
    byte q;

    d_step {
        status = CANDIDATE;
        least = _pid + 1;
        link[(_pid + 1) % N]!TOKEN, _pid + 1
    };
end:
    do
    :: d_step { link[_pid]?TOKEN, q ->
           if
           :: told
           :: else ->
              if
              :: q == _pid + 1 ->
                 status = LEADER; told = 1; least = _pid + 1;
                 link[(_pid + 1) % N]!ELECTED, _pid + 1
              :: q < _pid + 1 ->
                 status = LOST;
                 if :: q < least -> least = q :: else fi;
                 link[(_pid + 1) % N]!TOKEN, q
              :: q > _pid + 1
              fi
           fi; q = 0 }
    :: d_step { link[_pid]?ELECTED, q ->
           if
           :: told
           :: else ->
              told = 1; least = q;
              link[(_pid + 1) % N]!ELECTED, q
           fi; q = 0 }
    od
}
