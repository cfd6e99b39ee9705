package org.greenhouse.climate;

/** What the house can do about its climate. */
public enum Action {
    HEAT,
    VENTILATE,
    SHADE,
    MIST,
    FEED_CARBON_DIOXIDE
}
