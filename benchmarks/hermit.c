/* A table of four `hermit` in the base rules (RULES 1), in plain C: what beansim's compiled engine is measured against.
 *
 * The same games, not similar ones: the streams are beansim's (Philox4x64-10, Lemire's bounded numbers), the deals are the same, and
 * every recorded number is compared by against_c.py. Written as one would write this one game: rules and
 * strategy are constants and plain functions that the compiler may inline. It has no hooks, no other
 * rule options, no market, and does not count what only other strategies look at (cards seen, coins by kind).
 *
 * Seat and entry of the line-up are the same number, as with `seatings = "fixed"`; seat 0 starts.
 */

#include <stdint.h>
#include <string.h>

enum { PLAYERS = 4, KINDS = 8, FIELDS = 2, HAND = 5, TURN_UP = 2, DRAW = 3, RUN_OUTS = 3, DECK = 104 };
enum { CARD_COUNTS = 100, MAX_RUN_OUTS = 9, WIN_UNITS = 420 };
enum { FORCED, EARLY, FINAL, WHYS };
enum { EXHAUSTED, NO_DISCARDS };
enum { PURPOSE_SHUFFLE = 1 };

/* --- the kinds of the base game, most frequent first ----------------------------------------- */

static const int8_t COUNT[KINDS] = {20, 18, 16, 14, 12, 10, 8, 6};
static const int8_t NEEDED[KINDS][4] = {
    /* cards for 1 to 4 coins, 0: never paid */
    {4, 6, 8, 10}, {3, 6, 8, 9}, {3, 5, 7, 8}, {3, 5, 6, 7}, {2, 4, 6, 7}, {2, 4, 5, 6}, {2, 3, 4, 5}, {0, 2, 3, 0},
};

static int8_t pay[KINDS][CARD_COUNTS];  /* coins for so many cards */
static double slope[KINDS][CARD_COUNTS]; /* coins a card from here to the next step, 0 past the last */

static int coins_for(int kind, int cards) {
    int coins = 0;
    for (int step = 0; step < 4; step++)
        if (NEEDED[kind][step] && cards >= NEEDED[kind][step]) coins = step + 1;
    return coins;
}

static void prepare_tables(void) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int cards = 0; cards < CARD_COUNTS; cards++) {
            pay[kind][cards] = (int8_t)coins_for(kind, cards);
            slope[kind][cards] = 0.0;
            for (int more = cards + 1; more < CARD_COUNTS; more++)
                if (coins_for(kind, more) > coins_for(kind, cards)) {
                    slope[kind][cards] = (double)(coins_for(kind, more) - coins_for(kind, cards)) / (more - cards);
                    break;
                }
        }
}

/* --- streams: numpy.random.Philox(key=[seed, deal], counter=[0, 0, index, purpose]) ------------ */

typedef struct {
    uint64_t key[2], index, purpose, counter;
    uint64_t numbers[4];
    int position; /* among the eight halves of `numbers` */
} Stream;

static void open_stream(Stream *stream, uint64_t seed, uint64_t deal, uint64_t purpose, uint64_t index) {
    stream->key[0] = seed;
    stream->key[1] = deal;
    stream->index = index;
    stream->purpose = purpose;
    stream->counter = 0;
    stream->position = 8;
}

static void refill(Stream *stream) {
    uint64_t k0 = stream->key[0], k1 = stream->key[1];
    uint64_t c0 = ++stream->counter, c1 = 0, c2 = stream->index, c3 = stream->purpose;
    for (int round = 0; round < 10; round++) {
        unsigned __int128 first = (unsigned __int128)0xD2E7470EE14C6C93u * c0;
        unsigned __int128 second = (unsigned __int128)0xCA5A826395121157u * c2;
        c0 = (uint64_t)(second >> 64) ^ c1 ^ k0;
        c1 = (uint64_t)second;
        c2 = (uint64_t)(first >> 64) ^ c3 ^ k1;
        c3 = (uint64_t)first;
        k0 += 0x9E3779B97F4A7C15u;
        k1 += 0xBB67AE8584CAA73Bu;
    }
    stream->numbers[0] = c0;
    stream->numbers[1] = c1;
    stream->numbers[2] = c2;
    stream->numbers[3] = c3;
    stream->position = 0;
}

static uint32_t next32(Stream *stream) {
    if (stream->position >= 8) refill(stream);
    uint64_t word = stream->numbers[stream->position >> 1];
    return (uint32_t)(stream->position++ & 1 ? word >> 32 : word);
}

static uint32_t bounded(Stream *stream, uint32_t limit) {
    uint64_t product = (uint64_t)next32(stream) * limit;
    if ((uint32_t)product < limit) {
        uint32_t threshold = -limit % limit;
        while ((uint32_t)product < threshold) product = (uint64_t)next32(stream) * limit;
    }
    return (uint32_t)(product >> 32);
}

/* --- a game ---------------------------------------------------------------------------------- */

typedef struct {
    int8_t kind[FIELDS], cards[FIELDS]; /* kind -1: nothing grows here */
    uint8_t front, size;                /* the hand is a queue in 256 places, so that indices wrap by themselves */
    int8_t hand[256];
    int coins, harvests, zero_harvests, second_plants;
} Seat;

typedef struct {
    int64_t harvests[PLAYERS][KINDS][CARD_COUNTS][WHYS];
} Tally;

typedef struct {
    uint64_t seed, deal;
    Stream stream;
    Tally *tally;
    int8_t pile[DECK], discards[DECK];
    int next_card, pile_end, discarded, shuffles;
    int turn, phase, ending, end, run_outs;
    int16_t run_out_turn[MAX_RUN_OUTS];
    int8_t run_out_phase[MAX_RUN_OUTS];
    Seat seats[PLAYERS];
} Game;

static void shuffle_pile(Game *game, int size) {
    open_stream(&game->stream, game->seed, game->deal, PURPOSE_SHUFFLE, (uint64_t)++game->shuffles);
    for (int last = size - 1; last > 0; last--) {
        uint32_t chosen = bounded(&game->stream, (uint32_t)last + 1);
        int8_t card = game->pile[chosen];
        game->pile[chosen] = game->pile[last];
        game->pile[last] = card;
    }
    game->next_card = 0;
    game->pile_end = size;
}

static void run_out(Game *game) {
    game->run_out_turn[game->run_outs] = (int16_t)game->turn;
    game->run_out_phase[game->run_outs] = (int8_t)game->phase;
    game->run_outs++;
    if (game->run_outs == RUN_OUTS) {
        game->ending = 1;
        game->end = EXHAUSTED;
    } else if (game->discarded == 0) {
        game->ending = 1;
        game->end = NO_DISCARDS;
    } else {
        memcpy(game->pile, game->discards, (size_t)game->discarded);
        int size = game->discarded;
        game->discarded = 0;
        shuffle_pile(game, size);
    }
}

static int take_card(Game *game) { return game->pile[game->next_card++]; }

static void settle(Game *game) {
    if (game->next_card == game->pile_end) run_out(game);
}

static void to_hand(Seat *seat, int kind) { seat->hand[(uint8_t)(seat->front + seat->size++)] = (int8_t)kind; }

static void harvest(Game *game, int number, int field, int why) {
    Seat *seat = &game->seats[number];
    int kind = seat->kind[field], cards = seat->cards[field], coins = pay[kind][cards];
    seat->kind[field] = -1;
    seat->cards[field] = 0;
    memset(game->discards + game->discarded, kind, (size_t)(cards - coins));
    game->discarded += cards - coins;
    seat->coins += coins;
    seat->harvests++;
    seat->zero_harvests += coins == 0;
    game->tally->harvests[number][kind][cards][why]++;
}

/* --- what a hermit answers ------------------------------------------------------------------- */

/* Coins that one more card of a kind is worth: the slope of its beanometer, -1 where no field takes it. */
static double worth(const Seat *seat, int kind) {
    int empty = 0;
    for (int field = 0; field < FIELDS; field++) {
        if (seat->kind[field] == kind) return slope[kind][seat->cards[field]];
        empty |= seat->kind[field] < 0;
    }
    return empty ? slope[kind][0] : -1.0;
}

/* Coins given up by harvesting a field now. */
static double loss(const Seat *seat, int field) {
    int kind = seat->kind[field], cards = seat->cards[field];
    return cards * slope[kind][0] - pay[kind][cards];
}

/* The field to harvest: single cards wait for larger fields (A5); then the least loss. */
static int choose_harvest(const Seat *seat) {
    int largest = 0, best = -1;
    for (int field = 0; field < FIELDS; field++)
        if (seat->cards[field] > largest) largest = seat->cards[field];
    for (int field = 0; field < FIELDS; field++) {
        if (seat->cards[field] == 0 || (largest > 1 && seat->cards[field] == 1)) continue;
        if (best < 0 || loss(seat, field) < loss(seat, best)) best = field;
    }
    return best;
}

static void plant(Game *game, int number, int kind) {
    Seat *seat = &game->seats[number];
    int chosen = -1;
    for (int field = 0; field < FIELDS && chosen < 0; field++)
        if (seat->kind[field] == kind) chosen = field;
    for (int field = 0; field < FIELDS && chosen < 0; field++)
        if (seat->kind[field] < 0) chosen = field;
    if (chosen < 0) {
        chosen = choose_harvest(seat);
        harvest(game, number, chosen, FORCED);
    }
    seat->kind[chosen] = (int8_t)kind;
    seat->cards[chosen]++;
}

static void plant_front(Game *game, int number) {
    Seat *seat = &game->seats[number];
    int kind = seat->hand[seat->front++];
    seat->size--;
    plant(game, number, kind);
}

static void plant_from_hand(Game *game, int number) {
    Seat *seat = &game->seats[number];
    if (seat->size == 0) return;
    plant_front(game, number);
    if (seat->size && worth(seat, seat->hand[seat->front]) >= 0.0) {
        seat->second_plants++;
        plant_front(game, number);
    }
}

/* Phases 2 and 3: nobody trades, so the active seat plants both cards, the one worth more first. */
static void turn_up_and_plant(Game *game, int number) {
    int8_t revealed[KINDS] = {0};
    int left = 0;
    game->phase = 2;
    while (left < TURN_UP && !game->ending) {
        revealed[take_card(game)]++;
        left++;
        settle(game);
    }
    game->phase = 3;
    for (; left; left--) {
        int best = -1;
        for (int kind = 0; kind < KINDS; kind++)
            if (revealed[kind] &&
                (best < 0 || worth(&game->seats[number], kind) > worth(&game->seats[number], best)))
                best = kind;
        revealed[best]--;
        plant(game, number, best);
    }
}

static void draw_cards(Game *game, int number) {
    game->phase = 4;
    for (int drawn = 0; drawn < DRAW && !game->ending; drawn++) {
        to_hand(&game->seats[number], take_card(game));
        settle(game);
    }
}

static void begin_game(Game *game) {
    int position = 0;
    game->discarded = game->shuffles = 0;
    game->turn = game->phase = game->ending = game->end = game->run_outs = 0;
    memset(game->run_out_turn, 0, sizeof game->run_out_turn);
    memset(game->run_out_phase, 0, sizeof game->run_out_phase);
    for (int kind = 0; kind < KINDS; kind++)
        for (int card = 0; card < COUNT[kind]; card++) game->pile[position++] = (int8_t)kind;
    shuffle_pile(game, DECK);
    for (int number = 0; number < PLAYERS; number++) {
        Seat *seat = &game->seats[number];
        memset(seat->kind, -1, sizeof seat->kind);
        memset(seat->cards, 0, sizeof seat->cards);
        seat->front = seat->size = 0;
        seat->coins = seat->harvests = seat->zero_harvests = seat->second_plants = 0;
        for (int card = 0; card < HAND; card++) to_hand(seat, take_card(game));
    }
}

static void play_game(Game *game) {
    begin_game(game);
    for (int active = 0; !game->ending; active = (active + 1) % PLAYERS) {
        game->turn++;
        game->phase = 1;
        plant_from_hand(game, active);
        turn_up_and_plant(game, active);
        if (!game->ending) draw_cards(game, active);
    }
    for (int number = 0; number < PLAYERS; number++)
        for (int field = 0; field < FIELDS; field++)
            if (game->seats[number].cards[field]) harvest(game, number, field, FINAL);
}

/* --- what is recorded ------------------------------------------------------------------------ */

typedef struct {
    int64_t deal;
    int16_t turns, winners;
    int8_t run_outs, end;
    int16_t run_out_turn[MAX_RUN_OUTS];
    int8_t run_out_phase[MAX_RUN_OUTS];
} GameRow;

typedef struct {
    int64_t deal;
    int8_t seat, entry;
    int16_t coins, win_units, hand_left, harvests, zero_harvests, second_plants;
} SeatRow;

/* Most coins; among equals the one met last, clockwise from the start seat (A13). */
static int winner(const Game *game) {
    int best = 0;
    for (int number = 1; number < PLAYERS; number++)
        if (game->seats[number].coins >= game->seats[best].coins) best = number;
    return best;
}

static void write_rows(const Game *game, GameRow *row, SeatRow *seat_rows) {
    int won = winner(game);
    *row = (GameRow){
        .deal = (int64_t)game->deal,
        .turns = (int16_t)game->turn,
        .winners = (int16_t)(1 << won),
        .run_outs = (int8_t)game->run_outs,
        .end = (int8_t)game->end,
    };
    memcpy(row->run_out_turn, game->run_out_turn, sizeof row->run_out_turn);
    memcpy(row->run_out_phase, game->run_out_phase, sizeof row->run_out_phase);
    for (int number = 0; number < PLAYERS; number++) {
        const Seat *seat = &game->seats[number];
        seat_rows[number] = (SeatRow){
            .deal = (int64_t)game->deal,
            .seat = (int8_t)number,
            .entry = (int8_t)number,
            .coins = (int16_t)seat->coins,
            .win_units = number == won ? WIN_UNITS : 0,
            .hand_left = seat->size,
            .harvests = (int16_t)seat->harvests,
            .zero_harvests = (int16_t)seat->zero_harvests,
            .second_plants = (int16_t)seat->second_plants,
        };
    }
}

/* Sizes of the rows and of the tally, so that the caller can check that it means the same. */
int game_row_size(void) { return (int)sizeof(GameRow); }
int seat_row_size(void) { return (int)sizeof(SeatRow); }
int tally_size(void) { return (int)sizeof(Tally); }

/* Play deals first_deal, first_deal + 1, ...; rows are written, the tally is added to. */
void play_range(int64_t seed, int64_t first_deal, int64_t deals, GameRow *games, SeatRow *seats, Tally *tally) {
    Game game;
    prepare_tables();
    game.seed = (uint64_t)seed;
    game.tally = tally;
    for (int64_t number = 0; number < deals; number++) {
        game.deal = (uint64_t)(first_deal + number);
        play_game(&game);
        write_rows(&game, games + number, seats + number * PLAYERS);
    }
}
