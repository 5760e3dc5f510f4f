/*
 * dolev_klawe_rodeh.pml - the election of protocols/election/dolev_klawe_rodeh/dolev_klawe_rodeh.c, for
 * Spin: the same model as `fulcrum check dolev-klawe-rodeh -n N --names asc`.
 * See chang_roberts.pml for what "the same" means.
 */
#ifndef N
#define N 12
#endif

#define M1      1
#define M2      2
#define ELECTED 3

#define PASSIVE 1
#define ACTIVE  2
#define LAST    3
#define LEADER  4

chan link[N] = [N + 1] of { byte, byte };

active [N] proctype node()
{
    byte max;
    byte left;
    byte status;
    bit told;
    byte kind;
    byte q;

    d_step {
        status = ACTIVE;
        max = _pid + 1;
        link[(_pid + 1) % N]!M1, _pid + 1
    };
end:
    do
    :: d_step { link[_pid]?kind, q ->
           if
           :: kind == ELECTED ->
              if
              :: told
              :: else ->
                 if
                 :: q == _pid + 1 -> status = LEADER
                 :: else -> status = PASSIVE
                 fi;
                 told = 1; max = q; left = 0;
                 link[(_pid + 1) % N]!ELECTED, q
              fi
           :: kind != ELECTED && told
           :: kind != ELECTED && !told && status == PASSIVE ->
              link[(_pid + 1) % N]!kind, q
           :: kind == M1 && !told && status != PASSIVE ->
              if
              :: q == max ->
                 if
                 :: max == _pid + 1 -> status = LEADER
                 :: else -> status = LAST
                 fi;
                 told = 1; left = 0;
                 link[(_pid + 1) % N]!ELECTED, max
              :: else ->
                 left = q;
                 link[(_pid + 1) % N]!M2, q
              fi
           :: kind == M2 && !told && status != PASSIVE ->
              if
              :: left > q && left > max ->
                 max = left;
                 link[(_pid + 1) % N]!M1, max
              :: else -> status = PASSIVE
              fi;
              left = 0
           fi; kind = 0; q = 0 }
    od
}
