package org.gearloft.model;

import java.util.Date;

/** A tool. */
public final class Item {

    private final int id;
    private final String name;
    private final Category category;
    private final int price;
    private final Date acquired;
    private boolean retired;

    public Item(int id, String name, Category category, int price, Date acquired,
            boolean retired) {
        this.id = id;
        this.name = name;
        this.category = category;
        this.price = price;
        this.acquired = acquired;
        this.retired = retired;
    }

    public int getId() {
        return id;
    }

    public String getName() {
        return name;
    }

    public Category getCategory() {
        return category;
    }

    /** What another one would cost, in cents. */
    public int getPrice() {
        return price;
    }

    public Date getAcquired() {
        return acquired;
    }

    public boolean isRetired() {
        return retired;
    }

    public void retire() {
        retired = true;
    }
}
